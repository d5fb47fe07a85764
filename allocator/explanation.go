package allocator

// Explanation says why claims were allocated the way they were on a node, or why they were not. It is a value of
// its own: nothing of it changes later. Its JSON form has stable field names; lists are bounded as their
// fields say, so it does not grow with the cluster.
type Explanation struct {
	// Node is the name of the node.
	Node string `json:"node"`
	// Outcome is what Allocate answers.
	Outcome Outcome `json:"outcome"`
	// Error is the text of the error if Outcome is OutcomeError.
	Error string `json:"error,omitempty"`
	// Devices is how many devices the node sees in complete and valid pools, Elsewhere how many there are in slices
	// that do not reach the node.
	Devices   int `json:"devices"`
	Elsewhere int `json:"elsewhere,omitempty"`
	// Claims is in the order given. Claims behind one that cannot be read are missing.
	Claims []ClaimExplanation `json:"claims"`
	// Blocking names the requests (as "namespace/claim: request") which do not fit even alone.
	Blocking []string `json:"blocking,omitempty"`
	// Conflict is set if every request fits alone and all together do not.
	Conflict *Conflict `json:"conflict,omitempty"`
	// Pools are those that reach the node and are not used as published, at most 16.
	Pools []PoolProblem `json:"pools,omitempty"`
	// Pictures show the counters of pools that a request selects devices from, at most 4.
	Pictures []Picture `json:"pictures,omitempty"`
}

// Outcome is the answer for claims, or for some requests of them.
type Outcome string

// The outcomes. OutcomeUnknown is only used for parts of claims, where finding out would take too long.
const (
	OutcomeFit     Outcome = "Fit"
	OutcomeNoFit   Outcome = "NoFit"
	OutcomeError   Outcome = "Error"
	OutcomeUnknown Outcome = "Unknown"
)

// ClaimExplanation is about one claim.
type ClaimExplanation struct {
	// Name is "namespace/name", or the name if there is no namespace.
	Name string `json:"name"`
	// Error says what is wrong with the constraints of the claim.
	Error    string               `json:"error,omitempty"`
	Requests []RequestExplanation `json:"requests"`
}

// RequestExplanation is about one request of a claim.
type RequestExplanation struct {
	Name string `json:"name"`
	// Error says what is wrong with the request itself, for instance a feature that is off.
	Error string `json:"error,omitempty"`
	// Alternatives are the subrequests in order of preference, or the one request. Of a request that fits they
	// end with the one that was chosen.
	Alternatives []AlternativeExplanation `json:"alternatives"`
}

// AlternativeExplanation is about one way to satisfy a request.
//
// Considered is len(Chosen) plus Free plus the devices of all Reasons.
type AlternativeExplanation struct {
	// Name is the request as allocation results name it: "request" or "request/subrequest".
	Name string `json:"name"`
	// Count is how many devices are wanted, 0 if All.
	Count int  `json:"count,omitempty"`
	All   bool `json:"all,omitempty"`
	// Error says what is wrong with the alternative itself, for instance a class that does not exist.
	Error string `json:"error,omitempty"`
	// Considered is how many devices were looked at: all that the node sees, but only those up to the last one
	// chosen if the alternative was chosen.
	Considered int `json:"considered"`
	// Matched is how many of these the class, the selectors and the node selection of the device allow.
	Matched int `json:"matched"`
	// Free is how many could be chosen, each by itself.
	Free int `json:"free"`
	// Alone is whether the alternative fits if nothing else is asked for. Empty if it was not asked.
	Alone Outcome `json:"alone,omitempty"`
	// Most is the largest number of devices that can be chosen at the same time, if that is less than both Count
	// and Free. Beside says then what keeps away the devices that are left after so many were chosen.
	Most   int     `json:"most,omitempty"`
	Beside *Beside `json:"beside,omitempty"`
	// Chosen are the devices as "driver/pool/device".
	Chosen []string `json:"chosen,omitempty"`
	// Reasons say why the others fell away, the most useful first. Those behind the first 8 are put together by kind.
	Reasons []Reason `json:"reasons,omitempty"`
}

// Beside is what happens to an alternative after others have chosen.
type Beside struct {
	// Chosen is what was chosen.
	Chosen []Choice `json:"chosen"`
	// Alternatives is the request that comes after it, seen then.
	Alternatives []AlternativeExplanation `json:"alternatives"`
}

// Choice is one device that a request got.
type Choice struct {
	// Request is "namespace/claim: request", or "namespace/claim: request/subrequest".
	Request string `json:"request"`
	// Device is "driver/pool/device".
	Device string `json:"device"`
}

// Conflict is requests that fit one by one and not together.
type Conflict struct {
	// Requests are named "namespace/claim: request".
	Requests []string `json:"requests"`
	// Smallest says that the others fit as soon as any of the requests is left out. Otherwise finding out would
	// have taken too long.
	Smallest bool `json:"smallest"`
	// Example is what the last request meets if the others get what they would get without it.
	Example *Beside `json:"example,omitempty"`
}

// Reason is why some devices fell away. A device counts for one reason only, the first in the order in which the
// allocator looks: feature, class, selectors, node, capacity, taint, in use, what is left.
type Reason struct {
	Kind ReasonKind `json:"kind"`
	// Devices is how many, Examples some of them as "driver/pool/device", at most 3.
	Devices  int      `json:"devices"`
	Examples []string `json:"examples,omitempty"`
	// Message is the reason in words, the same for all of the devices.
	Message string `json:"message"`
	// Expression is the CEL expression of ReasonClass, ReasonSelector and ReasonSelectorError.
	Expression string `json:"expression,omitempty"`
	// Name is the counter ("set/counter"), capacity, taint key, key of the sharing affinity, attribute of the
	// constraint or feature.
	Name string `json:"name,omitempty"`
	// Need and Left are quantities of ReasonCounter, ReasonCapacity and ReasonCapacityLeft. For ReasonConstraint they
	// are the device's value and that of a device chosen before, for ReasonAffinity the request's value and that the
	// device is locked to.
	Need string `json:"need,omitempty"`
	Left string `json:"left,omitempty"`
	// Holders are, as far as known, the claims which hold the devices of ReasonInUse or use up the counter or
	// capacity, at most 3. HeldDevices are the devices that use the counter, at most 3.
	Holders     []string `json:"holders,omitempty"`
	HeldDevices []string `json:"heldDevices,omitempty"`
}

// ReasonKind classifies reasons.
type ReasonKind string

// The kinds, the most useful first: what got furthest, and could be different tomorrow, comes before what never
// fits.
const (
	// ReasonCounter: a counter of the pool has too little left (KEP-4815).
	ReasonCounter ReasonKind = "Counter"
	// ReasonCapacityLeft: a shared device has too little left of a capacity (KEP-5075).
	ReasonCapacityLeft ReasonKind = "CapacityLeft"
	// ReasonAffinity: claims that share the device state other values, or the request lacks one (KEP-5981).
	ReasonAffinity ReasonKind = "SharingAffinity"
	// ReasonConstraint: an attribute is missing or conflicts with that of devices chosen before.
	ReasonConstraint ReasonKind = "Constraint"
	// ReasonGroups: devices in use on the same counter set have no compatibility group in common.
	ReasonGroups ReasonKind = "CompatibilityGroups"
	// ReasonTaken: another request of the same claims gets the device.
	ReasonTaken ReasonKind = "Taken"
	// ReasonLater: the device is free, but choosing it leaves no solution for the whole.
	ReasonLater ReasonKind = "LaterRequest"
	// ReasonInUse: the device is allocated.
	ReasonInUse ReasonKind = "InUse"
	// ReasonTaint: the device has a taint that is not tolerated.
	ReasonTaint ReasonKind = "Taint"
	// ReasonNodeOperations: the slice skips node operations, which the node cannot do without.
	ReasonNodeOperations ReasonKind = "NodeOperations"
	// ReasonFeature: the device needs a feature that is off.
	ReasonFeature ReasonKind = "FeatureOff"
	// ReasonCapacity: the device is too small, lacks the capacity, or its request policy forbids the amount.
	ReasonCapacity ReasonKind = "Capacity"
	// ReasonNode: the node selection of the device leaves the node out.
	ReasonNode ReasonKind = "NodeSelection"
	// ReasonSelectorError: evaluating a selector or the node selection fails.
	ReasonSelectorError ReasonKind = "SelectorError"
	// ReasonSelector: a selector of the request is false.
	ReasonSelector ReasonKind = "Selector"
	// ReasonClass: a selector of the class is false.
	ReasonClass ReasonKind = "ClassSelector"
)

var usefulness = []ReasonKind{
	ReasonCounter, ReasonCapacityLeft, ReasonAffinity, ReasonConstraint, ReasonGroups, ReasonTaken, ReasonLater, ReasonInUse, ReasonTaint,
	ReasonNodeOperations, ReasonFeature, ReasonCapacity, ReasonNode, ReasonSelectorError, ReasonSelector, ReasonClass,
}

// PoolProblem is a pool that reaches the node and is not used as published.
type PoolProblem struct {
	Driver string `json:"driver"`
	Pool   string `json:"pool"`
	// Kind is Incomplete, Invalid, Superseded (a newer generation was published elsewhere), FeatureOff or
	// BesideCounters (devices in a slice with counters, which are not offered since Kubernetes 1.35).
	Kind string `json:"kind"`
	// Message is the reason in words.
	Message string `json:"message"`
	// Devices is how many devices are not available because of it.
	Devices int `json:"devices"`
}
