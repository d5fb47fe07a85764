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
)

// Rules are the rules of one problem on one node.
type Rules struct {
	// Devices are the devices available on the node, in the documented order:
	// by driver and pool (pools with binding conditions last), by the name of
	// the slice, by the index in the slice.
	Devices []*Device

	problem   *problem.Problem
	features  structured.Features
	node      *corev1.Node
	cel       *cel.Cache
	asks      [][][]*Ask // claim, request, alternative
	pools     []*pool
	dedicated sets.Set[structured.DeviceID]
	shared    sets.Set[structured.DeviceID]
	capacity  structured.ConsumedCapacityCollection
	holders   map[structured.DeviceID][]*statement
	matches   map[matchKey]match
}

// Device is a device that is available on the node.
type Device struct {
	*resourceapi.Device
	slice  *resourceapi.ResourceSlice
	pool   *pool
	demand demand
}

// ID returns the name of the device in the cluster.
func (d *Device) ID() structured.DeviceID {
	return structured.MakeDeviceID(d.pool.driver, d.pool.name, d.Name)
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
	for share := range state.AllocatedSharedDeviceIDs {
		r.shared.Insert(share.GetDeviceID())
	}
	for _, claim := range p.Claims {
		var requests [][]*Ask
		for _, request := range claim.Spec.Devices.Requests {
			asks := r.alternatives(request)
			for _, ask := range asks {
				ask.stated = ask.states(claim)
			}
			requests = append(requests, asks)
		}
		r.asks = append(r.asks, requests)
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
			demands := r.demands(slice)
			for i := range slice.Spec.Devices {
				r.Devices = append(r.Devices, &Device{Device: &slice.Spec.Devices[i], slice: slice, pool: pool, demand: demands[i]})
			}
		}
	}
	return r, nil
}

// Asks returns the asks of the claims: by claim, by request, and then the
// alternatives in order of preference.
func (r *Rules) Asks() [][][]*Ask {
	return r.asks
}

// Ask returns the ask of a choice.
func (r *Rules) Ask(c Choice) *Ask {
	return r.asks[c.Claim][c.Request][c.Alternative]
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
	admin := r.Ask(next).admin
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
