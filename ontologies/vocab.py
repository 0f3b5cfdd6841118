"""IRIs that code names, as pyoxigraph nodes. Nothing here reads a file."""

from pyoxigraph import NamedNode

MUNIMENT = "https://w3id.org/muniment#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
XSD = "http://www.w3.org/2001/XMLSchema#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
PROV = "http://www.w3.org/ns/prov#"

PREFIXES = {"": MUNIMENT, "owl": OWL, "prov": PROV, "rdf": RDF, "rdfs": RDFS, "skos": SKOS, "xsd": XSD}
"""Short names of namespaces, in what is written and in what need not declare them."""

RDF_TYPE = NamedNode(RDF + "type")
RDF_FIRST = NamedNode(RDF + "first")
RDF_REST = NamedNode(RDF + "rest")
RDF_NIL = NamedNode(RDF + "nil")
RDF_SUBJECT = NamedNode(RDF + "subject")
RDF_PREDICATE = NamedNode(RDF + "predicate")
RDF_OBJECT = NamedNode(RDF + "object")

RDFS_LABEL = NamedNode(RDFS + "label")
RDFS_SUBCLASS_OF = NamedNode(RDFS + "subClassOf")
RDFS_SUBPROPERTY_OF = NamedNode(RDFS + "subPropertyOf")
RDFS_DOMAIN = NamedNode(RDFS + "domain")
RDFS_RANGE = NamedNode(RDFS + "range")

OWL_INVERSE_OF = NamedNode(OWL + "inverseOf")
OWL_SYMMETRIC_PROPERTY = NamedNode(OWL + "SymmetricProperty")
OWL_TRANSITIVE_PROPERTY = NamedNode(OWL + "TransitiveProperty")
OWL_PROPERTY_CHAIN_AXIOM = NamedNode(OWL + "propertyChainAxiom")
OWL_OBJECT_PROPERTY = NamedNode(OWL + "ObjectProperty")
OWL_DISJOINT_WITH = NamedNode(OWL + "disjointWith")
OWL_DATATYPE_PROPERTY = NamedNode(OWL + "DatatypeProperty")

OWL_MEMBERS = NamedNode(OWL + "members")
OWL_SAME_AS = NamedNode(OWL + "sameAs")
OWL_DIFFERENT_FROM = NamedNode(OWL + "differentFrom")
OWL_THING = NamedNode(OWL + "Thing")
OWL_NOTHING = NamedNode(OWL + "Nothing")

XSD_STRING = NamedNode(XSD + "string")
XSD_DATE = NamedNode(XSD + "date")
XSD_GMONTHDAY = NamedNode(XSD + "gMonthDay")
XSD_INTEGER = NamedNode(XSD + "integer")


def term(name: str) -> NamedNode:
    """Return the vocabulary's IRI for a local name, such as ``livesIn``."""
    return NamedNode(MUNIMENT + name)


NAME = term("name")
RELATED = term("related")
VALID_TIME = term("validTime")
EVIDENCE = term("evidence")

SINGLE_VALUED = term("singleValued")
OPPOSES = term("opposes")
IMPERSONAL = term("impersonal")
TEMPORAL_KIND = term("temporalKind")
USUAL_DAYS = term("usualDays")
SENSITIVITY = term("sensitivity")
VERB = term("verb")
NOUN = term("noun")
QUESTION = term("question")
