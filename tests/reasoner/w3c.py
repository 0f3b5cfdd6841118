"""The W3C's rules as data: for each an axiom, facts, what follows or that they are false, and facts that give nothing."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """A rule: an axiom, facts, what follows from them, and facts from which nothing follows."""

    rule: str
    axiom: str
    facts: str
    follows: str
    no_facts: str


CASES = (
    Case("prp-dom", ":p rdfs:domain :C .", ":a :p :b .", ":a a :C .", ":a :q :b ."),
    Case("prp-rng", ":p rdfs:range :C .", ":a :p :b .", ":b a :C .", ":b :q :a ."),
    Case("prp-symp", ":p a owl:SymmetricProperty .", ":a :p :b .", ":b :p :a .", ":a :q :b ."),
    Case("prp-trp", ":p a owl:TransitiveProperty .", ":a :p :b . :b :p :c .", ":a :p :c .", ":a :p :b . :c :p :b ."),
    Case("prp-spo1", ":p rdfs:subPropertyOf :q .", ":a :p :b .", ":a :q :b .", ":a :q :b ."),
    Case(
        "prp-spo2",
        ":p owl:propertyChainAxiom ( :q :r :s ) .",
        ":a :q :b . :b :r :c . :c :s :d .",
        ":a :p :d .",
        ":a :q :b . :c :r :b . :c :s :d .",
    ),
    Case("prp-inv1", ":p owl:inverseOf :q .", ":a :p :b .", ":b :q :a .", ":a :r :b ."),
    Case("prp-inv2", ":p owl:inverseOf :q .", ":a :q :b .", ":b :p :a .", ":a :r :b ."),
    Case("cax-sco", ":C rdfs:subClassOf :D .", ":a a :C .", ":a a :D .", ":a a :D ."),
    Case("cax-eqc1", ":C owl:equivalentClass :D .", ":a a :C .", ":a a :D .", ":a a :E ."),
    Case("cax-eqc2", ":C owl:equivalentClass :D .", ":a a :D .", ":a a :C .", ":a a :E ."),
    Case("prp-fp", ":p a owl:FunctionalProperty .", ":a :p :b . :a :p :c .", ":b owl:sameAs :c .", ":a :p :b . :b :p :c ."),
    Case(
        "prp-ifp", ":p a owl:InverseFunctionalProperty .", ":a :p :c . :b :p :c .", ":a owl:sameAs :b .", ":a :p :b . :a :p :c ."
    ),
    Case("prp-eqp1", ":p owl:equivalentProperty :q .", ":a :p :b .", ":a :q :b .", ":a :r :b ."),
    Case("prp-eqp2", ":p owl:equivalentProperty :q .", ":a :q :b .", ":a :p :b .", ":a :r :b ."),
    Case(
        "prp-key",
        ":C owl:hasKey ( :p :q ) .",
        ":a :p :x . :b :p :x . :a :q :y . :b :q :y . :a a :C . :b a :C .",
        ":a owl:sameAs :b .",
        ":a :p :x . :b :p :x . :a :q :y . :b :q :z . :a a :C . :b a :C .",
    ),
    Case("cls-int1", ":C owl:intersectionOf ( :D :E ) .", ":a a :D . :a a :E .", ":a a :C .", ":a a :D . :b a :E ."),
    Case("cls-int2", ":C owl:intersectionOf ( :D :E ) .", ":a a :C .", ":a a :D . :a a :E .", ":a a :D ."),
    Case("cls-uni", ":C owl:unionOf ( :D :E ) .", ":a a :E .", ":a a :C .", ":a a :C ."),
    Case(
        "cls-svf1", ":C owl:onProperty :p ; owl:someValuesFrom :D .", ":a :p :b . :b a :D .", ":a a :C .", ":a :p :b . :c a :D ."
    ),
    Case("cls-svf2", ":C owl:onProperty :p ; owl:someValuesFrom owl:Thing .", ":a :p :b .", ":a a :C .", ":a :q :b ."),
    Case("cls-avf", ":C owl:onProperty :p ; owl:allValuesFrom :D .", ":a :p :b . :a a :C .", ":b a :D .", ":a :p :b . :b a :C ."),
    Case("cls-hv1", ":C owl:onProperty :p ; owl:hasValue :v .", ":a a :C .", ":a :p :v .", ":a a :D ."),
    Case("cls-hv2", ":C owl:onProperty :p ; owl:hasValue :v .", ":a :p :v .", ":a a :C .", ":a :p :w ."),
    Case(
        "cls-maxc2",
        ":C owl:onProperty :p ; owl:maxCardinality 1 .",
        ":a :p :b . :a :p :c . :a a :C .",
        ":b owl:sameAs :c .",
        ":a :p :b . :a :p :c .",
    ),
    Case(
        "cls-maxqc3",
        ":C owl:onProperty :p ; owl:onClass :D ; owl:maxQualifiedCardinality 1 .",
        ":a :p :b . :a :p :c . :a a :C . :b a :D . :c a :D .",
        ":b owl:sameAs :c .",
        ":a :p :b . :a :p :c . :a a :C . :b a :D .",
    ),
    Case(
        "cls-maxqc4",
        ":C owl:onProperty :p ; owl:onClass owl:Thing ; owl:maxQualifiedCardinality 1 .",
        ":a :p :b . :a :p :c . :a a :C .",
        ":b owl:sameAs :c .",
        ":a :p :b . :a :p :c .",
    ),
)

FALSE = (
    Case("eq-diff1", "", ":a owl:sameAs :b . :b owl:differentFrom :a .", "", ":a owl:sameAs :b . :b owl:differentFrom :c ."),
    Case("eq-diff2", "[] a owl:AllDifferent ; owl:members ( :a :b :c ) .", ":a owl:sameAs :c .", "", ":a owl:sameAs :d ."),
    Case("eq-diff3", "[] a owl:AllDifferent ; owl:distinctMembers ( :a :b ) .", ":b owl:sameAs :a .", "", ":a owl:sameAs :d ."),
    Case("prp-irp", ":p a owl:IrreflexiveProperty .", ":a :p :a .", "", ":a :p :b ."),
    Case("prp-asyp", ":p a owl:AsymmetricProperty .", ":a :p :b . :b :p :a .", "", ":a :p :b . :b :p :c ."),
    Case("prp-pdw", ":p owl:propertyDisjointWith :q .", ":a :p :b . :a :q :b .", "", ":a :p :b . :b :q :a ."),
    Case(
        "prp-adp",
        "[] a owl:AllDisjointProperties ; owl:members ( :p :q :r ) .",
        ":a :p :b . :a :r :b .",
        "",
        ":a :p :b . :b :r :a .",
    ),
    Case("prp-fp", ":p a owl:FunctionalProperty .", ":a :p 1 . :a :p 2 .", "", ":a :p 1 . :b :p 2 ."),
    Case("prp-rng", ":p rdfs:range xsd:integer .", ':a :p "x" .', "", ":a :p 1 ."),
    Case(
        "prp-npa1",
        "[] a owl:NegativePropertyAssertion ; owl:sourceIndividual :a ; owl:assertionProperty :p ; owl:targetIndividual :b .",
        ":a :p :b .",
        "",
        ":b :p :a .",
    ),
    Case(
        "prp-npa2",
        "[] a owl:NegativePropertyAssertion ; owl:sourceIndividual :a ; owl:assertionProperty :p ; owl:targetValue 5 .",
        ":a :p 5 .",
        "",
        ":a :p 6 .",
    ),
    Case("cls-nothing2", ":C rdfs:subClassOf owl:Nothing .", ":a a :C .", "", ":a a :D ."),
    Case("cls-com", ":C owl:complementOf :D .", ":a a :C . :a a :D .", "", ":a a :C . :b a :D ."),
    Case("cls-avf", ":C owl:onProperty :p ; owl:allValuesFrom xsd:integer .", ':a a :C . :a :p "x" .', "", ":a a :C . :a :p 1 ."),
    Case("cls-maxc1", ":C owl:onProperty :p ; owl:maxCardinality 0 .", ":a a :C . :a :p :b .", "", ":b a :C . :a :p :b ."),
    Case(
        "cls-maxc2", ":C owl:onProperty :p ; owl:maxCardinality 1 .", ":a a :C . :a :p 1 . :a :p 2 .", "", ":a a :C . :a :p 1 ."
    ),
    Case(
        "cls-maxqc1",
        ":C owl:onProperty :p ; owl:onClass :D ; owl:maxQualifiedCardinality 0 .",
        ":a a :C . :a :p :b . :b a :D .",
        "",
        ":a a :C . :a :p :b .",
    ),
    Case(
        "cls-maxqc2",
        ":C owl:onProperty :p ; owl:onClass owl:Thing ; owl:maxQualifiedCardinality 0 .",
        ":a a :C . :a :p :b .",
        "",
        ":a :p :b .",
    ),
    Case("cax-dw", ":C owl:disjointWith :D .", ":a a :C . :a a :D .", "", ":a a :C . :b a :D ."),
    Case("cax-adc", "[] a owl:AllDisjointClasses ; owl:members ( :C :D :E ) .", ":a a :C . :a a :E .", "", ":a a :C . :b a :E ."),
)

SCHEMA = {
    "scm-cls": (":C a owl:Class .", ":C rdfs:subClassOf owl:Thing . owl:Nothing rdfs:subClassOf :C ."),
    "scm-sco": (":C rdfs:subClassOf :D . :D rdfs:subClassOf :E .", ":C rdfs:subClassOf :E ."),
    "scm-eqc1": (":C owl:equivalentClass :D .", ":C rdfs:subClassOf :D . :D rdfs:subClassOf :C ."),
    "scm-eqc2": (":C rdfs:subClassOf :D . :D rdfs:subClassOf :C .", ":C owl:equivalentClass :D ."),
    "scm-op": (":p a owl:ObjectProperty .", ":p rdfs:subPropertyOf :p ; owl:equivalentProperty :p ."),
    "scm-dp": (":p a owl:DatatypeProperty .", ":p rdfs:subPropertyOf :p ; owl:equivalentProperty :p ."),
    "scm-spo": (":p rdfs:subPropertyOf :q . :q rdfs:subPropertyOf :r .", ":p rdfs:subPropertyOf :r ."),
    "scm-eqp1": (":p owl:equivalentProperty :q .", ":p rdfs:subPropertyOf :q . :q rdfs:subPropertyOf :p ."),
    "scm-eqp2": (":p rdfs:subPropertyOf :q . :q rdfs:subPropertyOf :p .", ":p owl:equivalentProperty :q ."),
    "scm-dom1": (":p rdfs:domain :C . :C rdfs:subClassOf :D .", ":p rdfs:domain :D ."),
    "scm-dom2": (":q rdfs:domain :C . :p rdfs:subPropertyOf :q .", ":p rdfs:domain :C ."),
    "scm-rng1": (":p rdfs:range :C . :C rdfs:subClassOf :D .", ":p rdfs:range :D ."),
    "scm-rng2": (":q rdfs:range :C . :p rdfs:subPropertyOf :q .", ":p rdfs:range :C ."),
    "scm-hv": (
        ":C owl:hasValue :v ; owl:onProperty :p . :D owl:hasValue :v ; owl:onProperty :q . :p rdfs:subPropertyOf :q .",
        ":C rdfs:subClassOf :D .",
    ),
    "scm-svf1": (
        ":C owl:someValuesFrom :X ; owl:onProperty :p . :D owl:someValuesFrom :Y ; owl:onProperty :p . :X rdfs:subClassOf :Y .",
        ":C rdfs:subClassOf :D .",
    ),
    "scm-svf2": (
        (
            ":C owl:someValuesFrom :X ; owl:onProperty :p . :D owl:someValuesFrom :X ; owl:onProperty :q ."
            " :p rdfs:subPropertyOf :q ."
        ),
        ":C rdfs:subClassOf :D .",
    ),
    "scm-avf1": (
        ":C owl:allValuesFrom :X ; owl:onProperty :p . :D owl:allValuesFrom :Y ; owl:onProperty :p . :X rdfs:subClassOf :Y .",
        ":C rdfs:subClassOf :D .",
    ),
    "scm-avf2": (
        ":C owl:allValuesFrom :X ; owl:onProperty :p . :D owl:allValuesFrom :X ; owl:onProperty :q . :p rdfs:subPropertyOf :q .",
        ":D rdfs:subClassOf :C .",
    ),
    "scm-int": (":C owl:intersectionOf ( :D :E ) .", ":C rdfs:subClassOf :D , :E ."),
    "scm-uni": (":C owl:unionOf ( :D :E ) .", ":D rdfs:subClassOf :C . :E rdfs:subClassOf :C ."),
}

W3C_RULES = """
    eq-ref eq-sym eq-trans eq-rep-s eq-rep-p eq-rep-o eq-diff1 eq-diff2 eq-diff3
    prp-ap prp-dom prp-rng prp-fp prp-ifp prp-irp prp-symp prp-asyp prp-trp prp-spo1 prp-spo2 prp-eqp1 prp-eqp2 prp-pdw prp-adp
    prp-inv1 prp-inv2 prp-key prp-npa1 prp-npa2
    cls-thing cls-nothing1 cls-nothing2 cls-int1 cls-int2 cls-uni cls-com cls-svf1 cls-svf2 cls-avf cls-hv1 cls-hv2 cls-maxc1
    cls-maxc2 cls-maxqc1 cls-maxqc2 cls-maxqc3 cls-maxqc4 cls-oo
    cax-sco cax-eqc1 cax-eqc2 cax-dw cax-adc
    dt-type1 dt-type2 dt-eq dt-diff dt-not-type
    scm-cls scm-sco scm-eqc1 scm-eqc2 scm-op scm-dp scm-spo scm-eqp1 scm-eqp2 scm-dom1 scm-dom2 scm-rng1 scm-rng2 scm-hv scm-svf1
    scm-svf2 scm-avf1 scm-avf2 scm-int scm-uni
"""
"""https://www.w3.org/TR/owl2-profiles/#Reasoning_in_OWL_2_RL_and_RDF_Graphs_using_Rules, tables 4 to 9."""
