// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package selector

import (
	"maps"
	"slices"
	"sync"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/allocator/internal/capacity"
	"github.com/draconform/draconform/allocator/internal/number"
	"github.com/draconform/draconform/allocator/internal/pools"
	"github.com/draconform/draconform/internal/fault"
)

// Requirement is the capacity that a request requires of a device (DRAConsumableCapacity).
type Requirement struct {
	requests   capacity.Requests
	fractional bool
}

// Use is the capacity that an allocation consumes of one device.
type Use struct {
	// Amounts is the consumption of each capacity, in the order of pools.Capacities.
	Amounts []number.N
	// Consumed is the same consumption as in an allocation result.
	Consumed capacity.Requests
	plain    bool // Plain copies of the quantities share no memory with the originals.
}

// Copy returns a copy of Consumed that shares no memory with it.
func (u *Use) Copy() capacity.Requests {
	consumed := maps.Clone(u.Consumed)
	if !u.plain {
		for name, quantity := range consumed {
			consumed[name] = quantity.DeepCopy()
		}
	}
	return consumed
}

type uses struct {
	Results
	usesMu sync.Mutex
	uses   map[int]*Use
}

// Requirement returns the requirement with these requests, which may be nil.
func (m *Memo) Requirement(requests capacity.Requests, fractional bool) *Requirement {
	if len(requests) == 0 {
		if fractional {
			return &m.plain[1]
		}
		return &m.plain[0]
	}
	var buffer [128]byte
	key := buffer[:0]
	if fractional {
		key = append(key, 'f')
	}
	var several [8]string
	names := several[:0]
	for name := range requests {
		names = append(names, string(name))
	}
	slices.Sort(names)
	for _, name := range names {
		quantity := requests[resourceapi.QualifiedName(name)]
		key = append(append(key, name...), 0)
		key = append(number.From(quantity).AppendKey(key), quantity.Format...)
		key = append(key, 0)
	}
	return remember(m, m.requirements, string(key), func() *Requirement { return &Requirement{requests, fractional} })
}

// HasRequests returns whether the requirement names a capacity.
func (r *Requirement) HasRequests() bool { return len(r.requests) > 0 }

func (r *Requirement) uses(slice *pools.Slice) *uses {
	return slice.Column(r, func() any {
		return &uses{Results: Results{words: make([]resultWord, slice.Words())}, uses: map[int]*Use{}}
	}).(*uses)
}

// Results returns the results for the devices of a slice.
func (r *Requirement) Results(slice *pools.Slice) *Results { return &r.uses(slice).Results }

// Fits returns whether device i of a slice meets the requirement while nothing of it is allocated.
func (r *Requirement) Fits(slice *pools.Slice, i int) (bool, error) {
	column := r.uses(slice)
	if fits, known, err := column.recall(i); known {
		return fits, err
	}
	device := &slice.API.Spec.Devices[i]
	amounts, ok, err := capacity.Consumed(r.requests, device.Capacity, r.fractional)
	if err != nil {
		column.fail(i, err)
		return false, err
	}
	if ok {
		capacities := slice.Capacities(i)
		use := &Use{Consumed: amounts, plain: true}
		for j, name := range capacities.Names {
			quantity := amounts[name]
			use.plain = use.plain && quantity == quantity.DeepCopy() // Decimals beyond 64 bits are pointers.
			if requested, ok := r.requests[resourceapi.QualifiedName(name)]; ok && fault.ChargesRequestedAmounts {
				quantity = requested
			}
			amount := number.From(quantity)
			use.Amounts = append(use.Amounts, amount)
			ok = (ok || fault.ComparesLastCapacityOnly) && amount.Cmp(capacities.Values[j]) <= 0
		}
		if len(use.Amounts) > 0 {
			column.usesMu.Lock()
			column.uses[i] = use
			column.usesMu.Unlock()
		}
	}
	column.record(i, ok)
	return ok, nil
}

// Use returns the capacity that an allocation consumes of device i of a slice. Fits must have returned true for the
// device. It returns nil if the device has no capacities.
func (r *Requirement) Use(slice *pools.Slice, i int) *Use {
	column := r.uses(slice)
	column.usesMu.Lock()
	defer column.usesMu.Unlock()
	return column.uses[i]
}
