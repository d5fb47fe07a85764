// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"fmt"
	"math/big"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/subject/published"
	"github.com/draconform/draconform/internal/rules"
)

// deviceName identifies a device in allocation results.
type deviceName struct{ driver, pool, device string }

func nameOf(d *published.Device) deviceName { return deviceName{d.Driver, d.Pool, d.Name} }

// holding is what claims hold of a device.
type holding struct {
	// claim is the first claim, as namespace/name.
	claim string
	// whole is set if a claim holds the device for itself.
	whole    bool
	consumed map[resourceapi.QualifiedName]*big.Rat
}

// holders has what claims hold, by device. Admin access holds nothing.
type holders map[deviceName]*holding

func holdersOf(claims []resourceapi.ResourceClaim) holders {
	all := holders{}
	for i := range claims {
		claim := &claims[i]
		if claim.Status.Allocation == nil {
			continue
		}
		for _, r := range claim.Status.Allocation.Devices.Results {
			if ptr.Deref(r.AdminAccess, false) {
				continue
			}
			name := deviceName{r.Driver, r.Pool, r.Device}
			if all[name] == nil {
				all[name] = &holding{claim: claim.Namespace + "/" + claim.Name, consumed: map[resourceapi.QualifiedName]*big.Rat{}}
			}
			all[name].whole = all[name].whole || r.ShareID == nil
			for capacity, amount := range r.ConsumedCapacity {
				sum := rules.Exact(amount)
				if before := all[name].consumed[capacity]; before != nil {
					sum.Add(sum, before)
				}
				all[name].consumed[capacity] = sum
			}
		}
	}
	return all
}

// of returns what claims hold of a device, or nil.
func (h holders) of(d *published.Device) *holding { return h[nameOf(d)] }

// held returns those of the devices that claims hold.
func (h holders) held(devices []*published.Device) []*published.Device {
	var all []*published.Device
	for _, d := range devices {
		if h.of(d) != nil {
			all = append(all, d)
		}
	}
	return all
}

// why states why a device cannot be allocated, or is empty.
func (h holders) why(d *published.Device) string {
	if of := h.of(d); of != nil && (of.whole || !d.Shared()) {
		return fmt.Sprintf("%s is allocated to claim %s", d.ID(), of.claim)
	}
	if taints := rules.Untolerated(d.Taints, nil); len(taints) > 0 {
		return fmt.Sprintf("%s has the taint %s", d.ID(), taints[0].Key)
	}
	return ""
}

// room returns how many shares with these requests still fit on a device, at
// most max. It is zero if the device does not allow the request.
func (h holders) room(d *published.Device, requested requests, most int) int {
	if h.why(d) != "" {
		return 0
	}
	uses, missing := rules.Uses(requested, d.Device, rules.Quirks{ExactCapacityNames: true})
	if len(missing) > 0 {
		return 0
	}
	for _, use := range uses {
		if !use.Allowed {
			return 0
		}
		free := rules.Exact(d.Capacity[use.Name].Value)
		if of := h.of(d); of != nil && of.consumed[use.Name] != nil {
			free.Sub(free, of.consumed[use.Name])
		}
		for most > 0 && new(big.Rat).Mul(use.Amount, big.NewRat(int64(most), 1)).Cmp(free) > 0 {
			most--
		}
	}
	return most
}
