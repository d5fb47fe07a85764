// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator/internal/testkit/problem"
	"github.com/draconform/draconform/internal/rules"
)

// Rules are the rules of one problem on one node.
type Rules struct {
	// Devices are the devices available on the node, in the documented order:
	// by driver and pool (pools with binding conditions last), by the name of
	// the slice, by the index in the slice.
	Devices []*Device

	problem   *problem.Problem
	features  structured.Features
	quirks    rules.Quirks
	node      *corev1.Node
	cel       *cel.Cache
	requests  [][][]*Subrequest // claim, request, alternative
	pools     []*pool
	dedicated sets.Set[structured.DeviceID]
	shared    sets.Set[structured.DeviceID]
	capacity  structured.ConsumedCapacityCollection
	holders   map[structured.DeviceID][]rules.Statement
	matches   map[matchKey]match
}

// Device is a device that is available on the node.
type Device struct {
	rules.Device
	slice *resourceapi.ResourceSlice
	pool  *pool
	// affinity is what the device declares, or why that is not known.
	affinity    rules.AffinityDeclaration
	affinityErr error
}

// ID returns the name of the device in the cluster.
func (d *Device) ID() structured.DeviceID {
	return structured.MakeDeviceID(d.pool.driver, d.pool.name, d.Name)
}

// Subrequest is a subrequest, or a request without subrequests.
type Subrequest struct {
	rules.Alternative
	class  *resourceapi.DeviceClass // Nil if it does not exist.
	stated rules.Statement          // About sharing affinity.
}

// Count returns how many devices the subrequest requires. It returns false for
// allocation mode All.
func (a *Subrequest) Count() (int64, bool) {
	return a.Alternative.Count, !a.All()
}

// Choice is the assignment of one device to one request.
type Choice struct {
	Claim, Request int
	// Alternative is the index of the subrequest, 0 for a request without
	// subrequests.
	Alternative int
	Device      *Device
}

// String returns the choice as claim/request/alternative:device, by index.
func (c Choice) String() string {
	return fmt.Sprintf("%d/%d/%d:%s", c.Claim, c.Request, c.Alternative, c.Device.ID())
}

// New returns the rules of a problem on a node.
func New(p *problem.Problem, node *corev1.Node) (*Rules, error) {
	state := p.State()
	r := &Rules{
		problem: p, features: p.Enabled(), node: node, cel: p.CELCache(),
		dedicated: state.AllocatedDevices, shared: sets.New[structured.DeviceID](), capacity: state.AggregatedCapacity,
		holders: holders(p), matches: map[matchKey]match{},
	}
	r.quirks = rules.Quirks{ScalarAttributes: !r.features.ListTypeAttributes, ExactCapacityNames: true}
	for share := range state.AllocatedSharedDeviceIDs {
		r.shared.Insert(share.GetDeviceID())
	}
	for _, claim := range p.Claims {
		var requests [][]*Subrequest
		for i := range claim.Spec.Devices.Requests {
			requests = append(requests, r.alternatives(claim, &claim.Spec.Devices.Requests[i]))
		}
		r.requests = append(r.requests, requests)
	}
	var err error
	if r.pools, err = r.gatherPools(); err != nil {
		return nil, err
	}
	for _, pool := range r.pools {
		if pool.incomplete || pool.invalid != nil {
			continue
		}
		for _, slice := range pool.offered {
			r.Devices = append(r.Devices, r.devicesOf(pool, slice)...)
		}
	}
	return r, nil
}

// alternatives returns the subrequests of a request, or the request itself.
func (r *Rules) alternatives(claim *resourceapi.ResourceClaim, request *resourceapi.DeviceRequest) []*Subrequest {
	var requests []*Subrequest
	for _, alternative := range rules.Alternatives(request) {
		subrequest := &Subrequest{Alternative: alternative}
		for _, class := range r.problem.Classes {
			if class.Name == alternative.ClassName {
				subrequest.class = class
			}
		}
		subrequest.stated = rules.StatementOf(rules.Configuration(subrequest.class, claim, subrequest.Name), subrequest.Name)
		requests = append(requests, subrequest)
	}
	return requests
}

func (r *Rules) devicesOf(pool *pool, slice *resourceapi.ResourceSlice) []*Device {
	var declared map[string]rules.AffinityDeclaration
	var err error
	if r.problem.SharingAffinity {
		declared, err = rules.SharingAffinity(slice)
	}
	var devices []*Device
	for i := range slice.Spec.Devices {
		device := &slice.Spec.Devices[i]
		devices = append(devices, &Device{
			Device: rules.Device{Driver: pool.driver, Device: device}, slice: slice, pool: pool,
			affinity: declared[device.Name], affinityErr: err,
		})
	}
	return devices
}

// Requests returns the subrequests of the claims: by claim, by request, and then the
// alternatives in order of preference.
func (r *Rules) Requests() [][][]*Subrequest {
	return r.requests
}

// Subrequest returns the subrequest of a choice.
func (r *Rules) Subrequest(c Choice) *Subrequest {
	return r.requests[c.Claim][c.Request][c.Alternative]
}

// Fits verifies that the choices, in their order, can be made together. Each
// prefix of choices that fit also fits. Fits does not verify that requests are
// complete.
func (r *Rules) Fits(choices []Choice) error {
	var errs []error
	perClaim := map[int]int{}
	for i, choice := range choices {
		if err := r.usable(choice); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", choice, err))
		}
		if err := r.free(choices[:i], choice); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", choice, err))
		}
		if perClaim[choice.Claim]++; perClaim[choice.Claim] == resourceapi.AllocationResultsMaxSize+1 {
			errs = append(errs, fmt.Errorf("claim %d gets more than %d devices", choice.Claim, resourceapi.AllocationResultsMaxSize))
		}
	}
	return errors.Join(append(errs, r.counters(choices), r.groups(choices), r.capacities(choices), r.constraints(choices), r.affinity(choices))...)
}

// free verifies that the device of the next choice is available. A device
// without allowMultipleAllocations can be assigned to one request. Admin access
// may use devices that others hold, but each device once per claim.
func (r *Rules) free(before []Choice, next Choice) error {
	admin := r.Subrequest(next).AdminAccess
	if !admin && r.dedicated.Has(next.Device.ID()) {
		return errors.New("allocated already")
	}
	for _, choice := range before {
		if choice.Device.ID() != next.Device.ID() {
			continue
		}
		sameRequest := choice.Claim == next.Claim && choice.Request == next.Request
		if sameRequest {
			return errors.New("given twice to one request")
		}
		if r.multiple(next.Device) || admin && choice.Claim != next.Claim {
			continue
		}
		return errors.New("given to two requests")
	}
	return nil
}

// multiple reports whether the device can be shared.
func (r *Rules) multiple(d *Device) bool {
	return r.features.ConsumableCapacity && ptr.Deref(d.AllowMultipleAllocations, false)
}
