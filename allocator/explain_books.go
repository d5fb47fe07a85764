package allocator

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

// books records what remains of devices, counters and capacities on one node after some choices. It follows the
// rules of internal/search one device at a time. It also records which choice used what, while the search keeps only
// the data that it needs to be fast.
type books struct {
	*search.Problem
	memo *selector.Memo

	counters []counterBooks // Per pool of the node.
	taken    map[int]choice // By position. Only devices that are not shared.
	shared   map[int]int    // By position: the number of chosen shares.
	used     map[int][]number.N
	values   map[constraintKey][]chosenValue
	locks    map[int][]string // By position: the values to which choices lock the device.

	isFalse map[*plan.Check]string // The messages for selectors that evaluate to false.
}

// choice is a device and the alternative for which it was chosen.
type choice struct{ alternative, position int }

type constraintKey struct{ claim, index int }

type chosenValue struct {
	selector.Value
	position int
}

type counterBooks struct {
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

func newBooks(problem *search.Problem, memo *selector.Memo) *books {
	b := &books{
		Problem: problem, memo: memo,
		taken: map[int]choice{}, shared: map[int]int{}, used: map[int][]number.N{}, values: map[constraintKey][]chosenValue{},
		locks: map[int][]string{}, isFalse: map[*plan.Check]string{},
	}
	for i := range problem.Node.Pools {
		b.counters = append(b.counters, b.open(problem.Node.Pools[i].Core))
	}
	return b
}

// open records the allocated devices. Devices that only other nodes see use counters as well.
func (b *books) open(core *pools.Core) counterBooks {
	if core == nil {
		return counterBooks{}
	}
	c := counterBooks{left: make([]number.N, len(core.Counters)), groups: make([][][]string, core.Sets), users: make([][]user, len(core.Counters))}
	for i := range core.Counters {
		c.left[i] = core.Counters[i].Total
	}
	core.Each(func(slice *pools.Slice, devices []pools.Consumption) {
		for i := range devices {
			if used := b.Allocated.Device(slice.ID(i)); used.Alone || used.Shared() {
				c.enter(&devices[i], user{slice: slice, index: i})
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

func (c *counterBooks) enter(consumption *pools.Consumption, by user) {
	for _, d := range consumption.Deltas {
		c.left[d.Counter] = c.left[d.Counter].Sub(d.Amount)
		by.amount = d.Amount
		c.users[d.Counter] = append(c.users[d.Counter], by)
	}
	for _, g := range consumption.Groups {
		c.groups[g.Set] = append(c.groups[g.Set], g.Names)
	}
}

// take records a choice. The caller has checked with judge that the choice is possible.
func (b *books) take(ctx context.Context, c choice) {
	a := &b.Plan.Alternatives[c.alternative]
	word, i := b.device(c.position)
	if b.charges(a, c.position) {
		b.counters[word.Pool].enter(b.consumption(c.position), user{slice: word.Slice, index: i, chosen: &c})
	}
	for j, applies := range a.Constraints {
		if !applies {
			continue
		}
		if value, err := b.value(ctx, a, j, c.position); err == nil {
			key := constraintKey{a.Claim, j}
			b.values[key] = append(b.values[key], chosenValue{value, c.position})
		}
	}
	if !b.isShared(c.position) {
		b.taken[c.position] = c
		return
	}
	b.shared[c.position]++
	b.lock(a, c.position)
	if a.Requirement == nil {
		return
	}
	if use := a.Requirement.Use(word.Slice, i); use != nil {
		used := b.used[c.position]
		if used == nil {
			used = make([]number.N, len(use.Amounts))
			b.used[c.position] = used
		}
		for j := range use.Amounts {
			used[j] = used[j].Add(use.Amounts[j])
		}
	}
}

func (b *books) device(position int) (*pools.Word, int) {
	word := &b.Node.Words[position/bits.WordSize]
	return word, word.First + position%bits.WordSize
}

func (b *books) flags(position int) (flags pools.Flags, bit uint64) {
	word, _ := b.device(position)
	return word.Slice.Flags(word.First / bits.WordSize), 1 << (position % bits.WordSize)
}

// name returns the device as "driver/pool/device".
func (b *books) name(position int) string {
	word, i := b.device(position)
	return word.Slice.ID(i).String()
}

// positions returns all devices that the node sees, in order.
func (b *books) positions() []int {
	var list []int
	for w := range b.Node.Words {
		word := &b.Node.Words[w]
		for rest := word.Slice.Valid(word.First / bits.WordSize); rest != 0; rest &= rest - 1 {
			list = append(list, w*bits.WordSize+bits.First(rest))
		}
	}
	return list
}

func (b *books) isShared(position int) bool {
	flags, bit := b.flags(position)
	return b.Features.ConsumableCapacity && flags.Shared&bit != 0
}

// charges returns whether choosing the device consumes counters. A shared device consumes them once, with its first
// share.
func (b *books) charges(a *plan.Alternative, position int) bool {
	word, i := b.device(position)
	flags, bit := b.flags(position)
	switch {
	case flags.Consumes&bit == 0 || b.Node.Pools[word.Pool].Core == nil:
		return false
	case a.Admin && b.Fixes.AdminAccessIgnoresCounters:
		return false
	}
	return !b.isShared(position) || b.shared[position] == 0 && !b.Allocated.Device(word.Slice.ID(i)).Shared()
}

func (b *books) consumption(position int) *pools.Consumption {
	word, i := b.device(position)
	return b.Node.Pools[word.Pool].Core.Consumption(word.Slice, i)
}

// value returns the value that constraint j of the claim compares.
func (b *books) value(ctx context.Context, a *plan.Alternative, j, position int) (selector.Value, error) {
	word, i := b.device(position)
	c := &b.Plan.Claims[a.Claim].Constraints[j]
	derived := a.Derived[c.Name]
	if derived == nil {
		return c.Attribute.Values(word.Slice)[i], nil
	}
	if err := derived.CompileError(); err != nil {
		return selector.Value{}, err
	}
	return derived.Value(ctx, word.Slice, i)
}

// left returns what remains of the capacities of a device, in the order of pools.Capacities.
func (b *books) left(position int) []number.N {
	word, i := b.device(position)
	capacities := word.Slice.Capacities(i)
	left := slices.Clone(capacities.Values)
	consumed := b.Allocated.Device(word.Slice.ID(i)).Consumed
	for j, name := range capacities.Names {
		if q := consumed[name]; q != nil {
			left[j] = left[j].Sub(number.From(*q))
		}
		if used := b.used[position]; used != nil {
			left[j] = left[j].Sub(used[j])
		}
	}
	return left
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
