// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package plan compiles the claims of a pod for the search. It also detects errors that are independent of devices.
package plan

import (
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator/internal/affinity"
	"github.com/draconform/draconform/allocator/internal/selector"
	"github.com/draconform/draconform/internal/fault"
)

// Plan is the compiled claims of one pod. It is read-only and independent of nodes.
type Plan struct {
	Claims       []Claim
	Requests     []Request
	Alternatives []Alternative
	// Static reports whether the plan needs no check per node: no request is for all devices, and there is no error.
	Static bool
}

// Claim is one ResourceClaim.
type Claim struct {
	API *resourceapi.ResourceClaim
	// First and End delimit the requests of the claim in Plan.Requests.
	First, End  int
	Constraints []Constraint
	// Err is an error in the constraints.
	Err error
}

// Constraint is one constraint of a claim.
type Constraint struct {
	Distinct  bool
	Name      resourceapi.FullyQualifiedName
	Attribute *selector.Attribute
	requests  []string
}

// Request is one request of a claim.
type Request struct {
	Claim int
	API   *resourceapi.DeviceRequest
	// First and End delimit the alternatives of the request in Plan.Alternatives: the subrequests in order of
	// preference, or the request itself.
	First, End  int
	Prioritized bool
	// Err is an error in the request. Its alternatives are then not compiled.
	Err error
}

// Alternative is one way to satisfy a request.
type Alternative struct {
	Claim, Request int
	// Name is the name of the request or subrequest. Result is the name in allocation results
	// ("request/subrequest").
	Name, Result string
	Class        *resourceapi.DeviceClass
	All          bool
	Count        int // Unless All.
	Admin        bool
	Tolerations  []resourceapi.DeviceToleration
	Checks       []Check
	// Requirement is nil without DRAConsumableCapacity.
	Requirement *selector.Requirement
	Derived     map[resourceapi.FullyQualifiedName]*selector.Derived
	// Constraints reports, for each constraint of the claim, whether it applies.
	Constraints []bool
	Constrained bool // At least one of them applies.
	// Entry contains the affinity values of class and claim. It is nil if there are none.
	Entry *affinity.Entry
	Err   error
}

// Check is one CEL selector. Selectors of the class come first.
type Check struct {
	*selector.Selector
	OfClass bool
	Index   int // In the class or the request.
}

// New compiles claims. Errors are stored in the plan at the claim, request or alternative in which they occur,
// because on some nodes other errors precede them. Compilation stops at the first error.
func New(features structured.Features, classes structured.DeviceClassLister, memo *selector.Memo, claims []*resourceapi.ResourceClaim) *Plan {
	c := &compiler{features: features, classes: classes, memo: memo}
	if requests, alternatives := size(claims); alternatives == 1 && len(claims) == 1 {
		one := &single{}
		c.plan, c.checkList = &one.Plan, one.checks[:0]
		c.plan.Claims, c.plan.Requests, c.plan.Alternatives = one.claims[:0], one.requests[:0], one.alternatives[:0]
	} else {
		more := &several{}
		c.plan, c.checkList = &more.Plan, make([]Check, 0, 2*alternatives)
		c.plan.Claims = slices.Grow(more.claims[:0], len(claims))
		c.plan.Requests = slices.Grow(more.requests[:0], requests)
		c.plan.Alternatives = make([]Alternative, 0, alternatives)
	}
	c.plan.Static = true
	for _, claim := range claims {
		if !c.claim(claim) {
			c.plan.Static = false
			break
		}
	}
	return c.plan
}

// single is the plan for one request in a single memory allocation, which suffices for most pods.
type single struct {
	Plan
	claims       [1]Claim
	requests     [1]Request
	alternatives [1]Alternative
	checks       [2]Check
}

// several is the plan with space for a few claims and requests.
type several struct {
	Plan
	claims   [2]Claim
	requests [4]Request
}

func size(claims []*resourceapi.ResourceClaim) (requests, alternatives int) {
	for _, claim := range claims {
		requests += len(claim.Spec.Devices.Requests)
		for i := range claim.Spec.Devices.Requests {
			alternatives += max(1, len(claim.Spec.Devices.Requests[i].FirstAvailable))
		}
	}
	return requests, alternatives
}

// Current returns whether the plan is for these claims and its classes have not changed. Claims and classes are
// identified by their pointers.
func (p *Plan) Current(classes structured.DeviceClassLister, claims []*resourceapi.ResourceClaim) bool {
	if len(claims) != len(p.Claims) {
		return false
	}
	for i := range claims {
		if p.Claims[i].API != claims[i] {
			return false
		}
	}
	for i := range p.Alternatives {
		a := &p.Alternatives[i]
		if a.Class == nil || a.Err != nil {
			return false
		}
		if class, err := classes.Get(a.Class.Name); err != nil || class != a.Class {
			return false
		}
	}
	for i := range p.Requests {
		if p.Requests[i].Err != nil {
			return false
		}
	}
	return true
}

// ClaimName returns the namespace and name of the claim as in error messages.
func ClaimName(claim *resourceapi.ResourceClaim) string {
	if claim.Namespace == "" {
		return claim.Name
	}
	return claim.Namespace + "/" + claim.Name
}

// objectName formats ClaimName only when it is needed.
type objectName struct{ claim *resourceapi.ResourceClaim }

func (n objectName) String() string { return ClaimName(n.claim) }

type compiler struct {
	features structured.Features
	classes  structured.DeviceClassLister
	memo     *selector.Memo
	plan     *Plan

	checkList []Check // Of all alternatives.
	applies   []bool  // Which constraints apply, of all alternatives.
}

func (c *compiler) claim(api *resourceapi.ResourceClaim) bool {
	at := len(c.plan.Claims)
	c.plan.Claims = append(c.plan.Claims, Claim{API: api, First: len(c.plan.Requests)})
	claim := &c.plan.Claims[at]
	claim.Constraints, claim.Err = c.constraints(api)
	for i := range api.Spec.Devices.Requests {
		if !c.request(at, &api.Spec.Devices.Requests[i]) {
			claim.End = len(c.plan.Requests)
			return false
		}
	}
	claim.End = len(c.plan.Requests)
	return claim.Err == nil
}

func (c *compiler) constraints(api *resourceapi.ResourceClaim) ([]Constraint, error) {
	if len(api.Spec.Devices.Constraints) == 0 {
		return nil, nil
	}
	list := make([]Constraint, 0, len(api.Spec.Devices.Constraints))
	for i := range api.Spec.Devices.Constraints {
		constraint := &api.Spec.Devices.Constraints[i]
		compiled := Constraint{requests: constraint.Requests}
		switch {
		case constraint.MatchAttribute != nil:
			compiled.Name = *constraint.MatchAttribute
		case constraint.DistinctAttribute != nil:
			compiled.Name, compiled.Distinct = *constraint.DistinctAttribute, true
		default:
			return list, fmt.Errorf("claim %s, constraint #%d: empty constraint (unsupported constraint type?)", ClaimName(api), i)
		}
		if fault.ConstrainsLikeFirst && i > 0 {
			compiled.Distinct = list[0].Distinct
		}
		compiled.Attribute = c.memo.Attribute(compiled.Name)
		list = append(list, compiled)
	}
	return list, nil
}
