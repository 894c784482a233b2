"""Countries by their ISO 3166 code: English name, and the language most pages there are written in."""

from __future__ import annotations

_TABLE = """
AE|United Arab Emirates|ar
AL|Albania|sq
AR|Argentina|es
AT|Austria|de
AU|Australia|en
BA|Bosnia and Herzegovina|bs
BD|Bangladesh|bn
BE|Belgium|nl
BG|Bulgaria|bg
BO|Bolivia|es
BR|Brazil|pt
BY|Belarus|ru
CA|Canada|en
CH|Switzerland|de
CL|Chile|es
CN|China|zh
CO|Colombia|es
CR|Costa Rica|es
CU|Cuba|es
CY|Cyprus|el
CZ|Czech Republic|cs
DE|Germany|de
DK|Denmark|da
DO|Dominican Republic|es
DZ|Algeria|ar
EC|Ecuador|es
EE|Estonia|et
EG|Egypt|ar
ES|Spain|es
ET|Ethiopia|am
FI|Finland|fi
FR|France|fr
GB|United Kingdom|en
GE|Georgia|ka
GH|Ghana|en
GR|Greece|el
GT|Guatemala|es
HK|Hong Kong|zh
HN|Honduras|es
HR|Croatia|hr
HU|Hungary|hu
ID|Indonesia|id
IE|Ireland|en
IL|Israel|he
IN|India|en
IQ|Iraq|ar
IR|Iran|fa
IS|Iceland|is
IT|Italy|it
JM|Jamaica|en
JO|Jordan|ar
JP|Japan|ja
KE|Kenya|en
KH|Cambodia|km
KR|South Korea|ko
KW|Kuwait|ar
KZ|Kazakhstan|kk
LB|Lebanon|ar
LK|Sri Lanka|si
LT|Lithuania|lt
LU|Luxembourg|fr
LV|Latvia|lv
MA|Morocco|ar
MD|Moldova|ro
ME|Montenegro|sr
MK|North Macedonia|mk
MM|Myanmar|my
MN|Mongolia|mn
MT|Malta|en
MX|Mexico|es
MY|Malaysia|ms
NG|Nigeria|en
NI|Nicaragua|es
NL|Netherlands|nl
NO|Norway|no
NP|Nepal|ne
NZ|New Zealand|en
OM|Oman|ar
PA|Panama|es
PE|Peru|es
PH|Philippines|en
PK|Pakistan|en
PL|Poland|pl
PT|Portugal|pt
PY|Paraguay|es
QA|Qatar|ar
RO|Romania|ro
RS|Serbia|sr
RU|Russia|ru
SA|Saudi Arabia|ar
SE|Sweden|sv
SG|Singapore|en
SI|Slovenia|sl
SK|Slovakia|sk
SV|El Salvador|es
TH|Thailand|th
TN|Tunisia|ar
TR|Turkey|tr
TW|Taiwan|zh
UA|Ukraine|uk
US|United States|en
UY|Uruguay|es
UZ|Uzbekistan|uz
VE|Venezuela|es
VN|Vietnam|vi
ZA|South Africa|en
"""
_ROWS = tuple(line.split("|") for line in _TABLE.split("\n") if line)

NAMES: dict[str, str] = {code: name for code, name, _ in _ROWS}
"""Code to English name."""

LANGUAGES: dict[str, str] = {code: language for code, _, language in _ROWS}
"""Code to language."""
