// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/internal/rules"
)

// State is what a claim can do with a device.
type State string

// States of devices.
const (
	StateFree    State = "free"
	StateHeld    State = "held"            // A claim has the whole device.
	StateShared  State = "shared"          // Claims have shares of it; more may fit.
	StateBlocked State = "blocked"         // Devices in use leave too little of a counter.
	StateTainted State = "tainted"         // Free for claims that tolerate the taint only.
	StateGone    State = "held, not there" // A claim holds a device that its driver no longer publishes.
)

// Device is the state of a device.
type Device struct {
	Name string `json:"name"`
	// Nodes are the nodes on which it can be used.
	Nodes string `json:"nodes,omitempty"`
	State State  `json:"state"`
	// Why describes what blocks or taints the device.
	Why string `json:"why,omitempty"`
	// Holders are the claims that hold the device or shares of it. Admin access is listed but holds nothing.
	Holders []Holder `json:"holders,omitempty"`
	// Capacity is that of a device that claims can share.
	Capacity []Amount `json:"capacity,omitempty"`
}

// Holder is a claim that uses a device.
type Holder struct {
	// Claim is "namespace/name".
	Claim string `json:"claim"`
	// Pods are the names of the pods for which the claim is reserved.
	Pods        []string          `json:"pods,omitempty"`
	AdminAccess bool              `json:"adminAccess,omitempty"`
	Consumes    map[string]string `json:"consumes,omitempty"`
}

// Amount is how much of a capacity is used.
type Amount struct {
	Name  string `json:"name"`
	Used  string `json:"used"`
	Total string `json:"total"`
}

// usage are the results of allocated claims by device.
type usage map[structured.DeviceID][]result

type result struct {
	claim *resourceapi.ResourceClaim
	*resourceapi.DeviceRequestAllocationResult
}

func (r result) admin() bool { return ptr.Deref(r.AdminAccess, false) }

func usageOf(claims []*resourceapi.ResourceClaim) usage {
	u := usage{}
	for _, claim := range claims {
		if claim.Status.Allocation == nil {
			continue
		}
		for i := range claim.Status.Allocation.Devices.Results {
			r := result{claim, &claim.Status.Allocation.Devices.Results[i]}
			id := structured.MakeDeviceID(r.Driver, r.Pool, r.Device)
			u[id] = append(u[id], r)
		}
	}
	return u
}

// holding returns the results that take the device or a share of it.
func (u usage) holding(driver, pool, device string) []result {
	all := slices.Clone(u[structured.MakeDeviceID(driver, pool, device)])
	return slices.DeleteFunc(all, result.admin)
}

// device describes a published device.
func (u usage) device(pool *rules.Pool, device *resourceapi.Device, left map[rules.Counter]resource.Quantity) Device {
	d := Device{Name: device.Name, State: StateFree}
	for _, r := range u[structured.MakeDeviceID(pool.Driver, pool.Name, device.Name)] {
		d.Holders = append(d.Holders, r.holder())
	}
	shared := ptr.Deref(device.AllowMultipleAllocations, false)
	holding := u.holding(pool.Driver, pool.Name, device.Name)
	if shared {
		d.Capacity = consumed(device, holding)
	}
	blocked, tainted := lacking(device, left), rules.Untolerated(device.Taints, nil)
	switch {
	case len(holding) > 0 && shared:
		d.State = StateShared
	case len(holding) > 0:
		d.State = StateHeld
	case blocked != "":
		d.State, d.Why = StateBlocked, blocked
	case len(tainted) > 0:
		d.State, d.Why = StateTainted, fmt.Sprintf("taint %s=%s:%s", tainted[0].Key, tainted[0].Value, tainted[0].Effect)
	}
	return d
}

func (r result) holder() Holder {
	h := Holder{Claim: ClaimName(r.claim), AdminAccess: r.admin()}
	for _, consumer := range r.claim.Status.ReservedFor {
		h.Pods = append(h.Pods, consumer.Name)
	}
	for name, amount := range r.ConsumedCapacity {
		if h.Consumes == nil {
			h.Consumes = map[string]string{}
		}
		h.Consumes[string(name)] = amount.String()
	}
	return h
}

// consumed returns the capacities of a shared device, sorted by name.
func consumed(device *resourceapi.Device, holding []result) []Amount {
	var all []Amount
	for _, name := range slices.Sorted(maps.Keys(device.Capacity)) {
		total, used := device.Capacity[name].Value, resource.Quantity{Format: device.Capacity[name].Value.Format}
		for _, r := range holding {
			if amount, ok := r.ConsumedCapacity[name]; ok {
				used.Add(amount)
			}
		}
		all = append(all, Amount{string(name), used.String(), total.String()})
	}
	return all
}

// countersLeft returns what devices in use leave of each counter of a pool.
func countersLeft(pool *rules.Pool, u usage) map[rules.Counter]resource.Quantity {
	left := map[rules.Counter]resource.Quantity{}
	for _, slice := range pool.Slices {
		for _, set := range slice.Spec.SharedCounters {
			for name, counter := range set.Counters {
				left[rules.Counter{Set: set.Name, Name: name}] = counter.Value.DeepCopy()
			}
		}
	}
	for _, device := range pool.Devices() {
		if len(u.holding(pool.Driver, pool.Name, device.Name)) == 0 {
			continue
		}
		for counter, amount := range rules.Consumption(device) {
			rest := left[counter]
			rest.Sub(amount)
			left[counter] = rest
		}
	}
	return left
}

// lacking names the first counter, by name, of which a device needs more than is left.
func lacking(device *resourceapi.Device, left map[rules.Counter]resource.Quantity) string {
	var texts []string
	for counter, amount := range rules.Consumption(device) {
		if rest := left[counter]; rest.Cmp(amount) < 0 {
			texts = append(texts, fmt.Sprintf("counter %s %s needs %s, %s left", counter.Set, counter.Name, &amount, &rest))
		}
	}
	slices.Sort(texts)
	if len(texts) > 1 {
		texts = append(texts[:1], "and others")
	}
	return strings.Join(texts, ", ")
}

// gone returns the devices of a pool that claims hold and that are not published.
func (u usage) gone(pool *rules.Pool, only bool, out *Pool) []Device {
	if only {
		return nil // The node of a device that is not published is not known.
	}
	published := map[string]bool{}
	for _, device := range pool.Devices() {
		published[device.Name] = true
	}
	devices := u.missing(pool.Driver, pool.Name, published)
	for range devices {
		out.count(StateGone)
	}
	return devices
}

func (u usage) missing(driver, pool string, published map[string]bool) []Device {
	var devices []Device
	for id, results := range u {
		if id.Driver.String() != driver || id.Pool.String() != pool || published[id.Device.String()] {
			continue
		}
		d := Device{Name: id.Device.String(), State: StateGone, Why: "in no slice of its pool"}
		for _, r := range results {
			d.Holders = append(d.Holders, r.holder())
		}
		devices = append(devices, d)
	}
	slices.SortFunc(devices, func(a, b Device) int { return strings.Compare(a.Name, b.Name) })
	return devices
}

// unpublished returns the pools without slices from which claims hold devices.
func (u usage) unpublished(all []*resourceapi.ResourceSlice) []Pool {
	known := map[poolKey]bool{}
	for _, slice := range all {
		known[poolKey{slice.Spec.Driver, slice.Spec.Pool.Name}] = true
	}
	var found []Pool
	for id := range u {
		k := poolKey{id.Driver.String(), id.Pool.String()}
		if known[k] {
			continue
		}
		known[k] = true
		p := Pool{Driver: k.driver, Pool: k.pool, Nodes: "no nodes", Problem: "no slices: the driver does not publish it", Devices: u.missing(k.driver, k.pool, nil)}
		p.Held = len(p.Devices)
		found = append(found, p)
	}
	return found
}
