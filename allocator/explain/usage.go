// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/allocator/internal/bits"
	"github.com/draconform/draconform/allocator/internal/number"
	"github.com/draconform/draconform/allocator/internal/plan"
	"github.com/draconform/draconform/allocator/internal/pools"
	"github.com/draconform/draconform/allocator/internal/search"
	"github.com/draconform/draconform/allocator/internal/selector"
)

// nodeUsage records the usage of devices, counters and capacities on one node after some choices. It follows the
// rules of internal/search one device at a time. It also records which choice used what, while the search keeps only
// the data that it needs to be fast.
type nodeUsage struct {
	*search.Problem
	memo *selector.Memo

	counters  []counterUsage     // Per pool of the node.
	exclusive map[int]choice     // By position: the choices of devices that are not shared.
	shared    map[int]int        // By position: the number of chosen shares.
	consumed  map[int][]number.N // By position: the capacities that chosen shares consume.
	values    map[constraintKey][]chosenValue
	locks     map[int][]string // By position: the values to which choices lock the device.

	isFalse map[*plan.Check]string // The messages for selectors that evaluate to false.
}

// choice is a device and the alternative for which it was chosen.
type choice struct{ alternative, position int }

type constraintKey struct{ claim, index int }

type chosenValue struct {
	selector.Value
	position int
}

type counterUsage struct {
	left   []number.N
	groups [][][]string // Per counter set: the compatibility groups of each device that uses it.
	users  [][]user     // Per counter.
}

// user is an allocated or chosen device that uses a counter.
type user struct {
	slice  *pools.Slice
	index  int
	chosen *choice // Nil if the device is allocated.
	amount number.N
}

func newNodeUsage(problem *search.Problem, memo *selector.Memo) *nodeUsage {
	u := &nodeUsage{
		Problem: problem, memo: memo,
		exclusive: map[int]choice{}, shared: map[int]int{}, consumed: map[int][]number.N{}, values: map[constraintKey][]chosenValue{},
		locks: map[int][]string{}, isFalse: map[*plan.Check]string{},
	}
	for i := range problem.Node.Pools {
		u.counters = append(u.counters, u.allocated(problem.Node.Pools[i].Core))
	}
	return u
}

// allocated returns the usage of the counters of a pool by allocated devices. Devices that only other nodes see use
// counters as well.
func (u *nodeUsage) allocated(core *pools.Core) counterUsage {
	if core == nil {
		return counterUsage{}
	}
	c := counterUsage{left: make([]number.N, len(core.Counters)), groups: make([][][]string, core.Sets), users: make([][]user, len(core.Counters))}
	for i := range core.Counters {
		c.left[i] = core.Counters[i].Total
	}
	core.Each(func(slice *pools.Slice, devices []pools.Consumption) {
		for i := range devices {
			if used := u.Allocated.Device(slice.ID(i)); used.Alone || used.Shared() {
				c.add(&devices[i], user{slice: slice, index: i})
			}
		}
	})
	for i := range c.users {
		slices.SortFunc(c.users[i], compareUsers)
	}
	return c
}

func compareUsers(a, b user) int {
	x, y := a.slice.ID(a.index), b.slice.ID(b.index)
	return strings.Compare(x.String(), y.String())
}

func (c *counterUsage) add(consumption *pools.Consumption, by user) {
	for _, d := range consumption.Deltas {
		c.left[d.Counter] = c.left[d.Counter].Sub(d.Amount)
		by.amount = d.Amount
		c.users[d.Counter] = append(c.users[d.Counter], by)
	}
	for _, g := range consumption.Groups {
		c.groups[g.Set] = append(c.groups[g.Set], g.Names)
	}
}

// choose records a choice. The caller has checked that the choice is possible.
func (u *nodeUsage) choose(ctx context.Context, c choice) {
	a := &u.Plan.Alternatives[c.alternative]
	word, i := u.device(c.position)
	if u.consumesCounters(a, c.position) {
		u.counters[word.Pool].add(u.consumption(c.position), user{slice: word.Slice, index: i, chosen: &c})
	}
	for j, applies := range a.Constraints {
		if !applies {
			continue
		}
		if value, err := u.value(ctx, a, j, c.position); err == nil {
			key := constraintKey{a.Claim, j}
			u.values[key] = append(u.values[key], chosenValue{value, c.position})
		}
	}
	if !u.isShared(c.position) {
		u.exclusive[c.position] = c
		return
	}
	u.shared[c.position]++
	u.lock(a, c.position)
	if a.Requirement == nil {
		return
	}
	if use := a.Requirement.Use(word.Slice, i); use != nil {
		consumed := u.consumed[c.position]
		if consumed == nil {
			consumed = make([]number.N, len(use.Amounts))
			u.consumed[c.position] = consumed
		}
		for j := range use.Amounts {
			consumed[j] = consumed[j].Add(use.Amounts[j])
		}
	}
}

func (u *nodeUsage) device(position int) (*pools.Word, int) {
	word := &u.Node.Words[position/bits.WordSize]
	return word, word.First + position%bits.WordSize
}

func (u *nodeUsage) flags(position int) (flags pools.Flags, bit uint64) {
	word, _ := u.device(position)
	return word.Slice.Flags(word.First / bits.WordSize), 1 << (position % bits.WordSize)
}

// name returns the device as "driver/pool/device".
func (u *nodeUsage) name(position int) string {
	word, i := u.device(position)
	return word.Slice.ID(i).String()
}

// positions returns all devices that the node sees, in order.
func (u *nodeUsage) positions() []int {
	var list []int
	for w := range u.Node.Words {
		word := &u.Node.Words[w]
		for rest := word.Slice.Valid(word.First / bits.WordSize); rest != 0; rest &= rest - 1 {
			list = append(list, w*bits.WordSize+bits.First(rest))
		}
	}
	return list
}

func (u *nodeUsage) isShared(position int) bool {
	flags, bit := u.flags(position)
	return u.Features.ConsumableCapacity && flags.Shared&bit != 0
}

// consumesCounters returns whether choosing the device consumes counters. A shared device consumes them once, with its first
// share.
func (u *nodeUsage) consumesCounters(a *plan.Alternative, position int) bool {
	word, i := u.device(position)
	flags, bit := u.flags(position)
	switch {
	case flags.Consumes&bit == 0 || u.Node.Pools[word.Pool].Core == nil:
		return false
	case a.Admin && u.Fixes.AdminAccessIgnoresCounters:
		return false
	}
	return !u.isShared(position) || u.shared[position] == 0 && !u.Allocated.Device(word.Slice.ID(i)).Shared()
}

func (u *nodeUsage) consumption(position int) *pools.Consumption {
	word, i := u.device(position)
	return u.Node.Pools[word.Pool].Core.Consumption(word.Slice, i)
}

// value returns the value that constraint j of the claim compares.
func (u *nodeUsage) value(ctx context.Context, a *plan.Alternative, j, position int) (selector.Value, error) {
	word, i := u.device(position)
	c := &u.Plan.Claims[a.Claim].Constraints[j]
	derived := a.Derived[c.Name]
	if derived == nil {
		return c.Attribute.Values(word.Slice)[i], nil
	}
	if err := derived.CompileError(); err != nil {
		return selector.Value{}, err
	}
	return derived.Value(ctx, word.Slice, i)
}

// remaining returns what remains of the capacities of a device, in the order of pools.Capacities.
func (u *nodeUsage) remaining(position int) []number.N {
	word, i := u.device(position)
	capacities := word.Slice.Capacities(i)
	remaining := slices.Clone(capacities.Values)
	allocated := u.Allocated.Device(word.Slice.ID(i)).Consumed
	for j, name := range capacities.Names {
		if q := allocated[name]; q != nil {
			remaining[j] = remaining[j].Sub(number.From(*q))
		}
		if chosen := u.consumed[position]; chosen != nil {
			remaining[j] = remaining[j].Sub(chosen[j])
		}
	}
	return remaining
}

// quantity formats a number. It uses binary suffixes such as Mi and Gi if the number is a multiple of 1Mi.
func quantity(n number.N) string {
	q := n.Quantity()
	plain := resource.MustParse(q.String())
	if v, ok := plain.AsInt64(); ok && v != 0 && v%(1<<20) == 0 {
		return resource.NewQuantity(v, resource.BinarySI).String()
	}
	return plain.String()
}
