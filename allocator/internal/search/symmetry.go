// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import (
	"encoding/binary"
	"slices"

	"github.com/draconform/draconform/allocator/internal/bits"
)

// symmetry skips devices that are equivalent to a device that failed (P8).
//
// Twins are devices that no rule distinguishes. They suit the same alternatives, have the same allocation state,
// have equal values in all constraints, and have the same consumption of the same counters. If a device failed at
// some choice and its twin is also free, the twin fails too.
//
// Proof: Suppose a solution with the twin d' instead of d, where d failed and precedes d'. Exchange d and d' in all
// choices of the solution from here on. No rule distinguishes the results. Within the request, the choice is now d.
// Positions still ascend, because those after d' are also after d. (If d itself were among these, it would be after
// d', which it is not.) So the exchanged solution is one in which d does not fail.
//
// The same holds for devices of two equal families. A family is the set of all devices that are connected by counter
// sets, for example the partitions of one GPU. Two families are equal if an order-preserving pairing of their
// devices makes each pair indistinguishable, including counters and their remaining amounts, and each device
// precedes its partner. As long as the same members of both are chosen, exchanging the families does not change
// anything that later choices can observe. It is the exchange of the proof for all choices from here on.
type symmetry struct {
	twin    []int // Per position; -1 if it has none.
	family  []int // Per position; -1 if it has none.
	orbit   []int // Per position: equal for partners in equal families.
	member  []int // Per position: its index in the family.
	members [][]int
	misses  []miss
	key     []byte // Scratch.
	enabled bool
	s       *searcher
}

// miss is a device that failed: its twin class, its orbit if that may be used, and the members of its family that
// were chosen at that time.
type miss struct {
	twin, orbit int
	chosen      uint64
}

func (y *symmetry) init(p *pruner) {
	y.s, y.enabled = p.s, false
	if !p.on(PruneSymmetry) {
		return
	}
	y.enabled = true
	n := len(p.s.Node.Words) * bits.WordSize
	y.misses, y.members = y.misses[:0], y.members[:0]
	for _, list := range []*[]int{&y.twin, &y.family, &y.orbit, &y.member} {
		*list = cleared(*list, n)
		for i := range *list {
			(*list)[i] = -1
		}
	}
	twins := map[string]int{}
	for w := range p.s.Node.Words {
		for rest := p.exchangeable(w); rest != 0; rest &= rest - 1 {
			position := w*bits.WordSize + bits.First(rest)
			key := p.s.signature(y.key[:0], w, rest&-rest)
			word := &p.s.Node.Words[w]
			if word.Slice.Flags(word.First/bits.WordSize).Consumes&(rest&-rest) != 0 && p.s.Node.Pools[word.Pool].Core != nil {
				key = appendIndex(append(key, 'p'), word.Pool)
				key = p.s.consumptionKey(key, position, func(counter int) int { return counter }, func(set int) int { return set })
			}
			y.twin[position] = enumerate(twins, key)
			y.key = key
		}
	}
	y.families(p)
}

func enumerate(known map[string]int, key []byte) int {
	n, ok := known[string(key)]
	if !ok {
		n = len(known)
		known[string(key)] = n
	}
	return n
}

// exchangeable returns the devices of word w that an alternative can choose and that may be exchanged. Shared devices and
// devices with consumed capacity are excluded.
func (p *pruner) exchangeable(w int) uint64 { return p.eligible(w) &^ p.s.word(w).ledger }

// eligible returns the devices of word w that an alternative can choose.
func (p *pruner) eligible(w int) uint64 {
	s := p.s
	var eligible uint64
	for i := range s.alternatives {
		eligible |= s.verdict(&s.alternatives[i], w).yes
	}
	return eligible & s.valid(w)
}

// signature appends all properties of a device that rules use, except for its counters.
func (s *searcher) signature(key []byte, w int, bit uint64) []byte {
	position := w*bits.WordSize + bits.First(bit)
	key = append(key, flag(s.word(w).inUse&bit != 0))
	s.encoded = cleared(s.encoded, len(s.constraints))
	for i := range s.alternatives {
		a := &s.alternatives[i]
		yes := a.verdicts[w].yes&bit != 0
		key = append(key, flag(yes))
		if !yes {
			continue
		}
		if a.All {
			key = append(key, flag(s.blocked(a, &s.Node.Words[w], bit) != 0))
		}
		key = s.valueSignature(key, a, position)
	}
	return s.lockSignature(key, position)
}

// valueSignature appends the values that constraints compare. The value of an attribute that is not derived is the
// same for all alternatives and is appended once.
func (s *searcher) valueSignature(key []byte, a *alternative, position int) []byte {
	for j, applies := range a.Constraints {
		c := &s.Plan.Claims[a.Claim].Constraints[j]
		encoded := &s.encoded[s.firstOf[a.Claim]+j]
		if !applies || *encoded && a.Derived[c.Name] == nil {
			continue
		}
		*encoded = *encoded || a.Derived[c.Name] == nil
		value, err := s.value(a, c, position)
		key = appendIndex(append(key, flag(value.Set), flag(err != nil)), len(value.IDs))
		for _, id := range value.IDs {
			key = binary.LittleEndian.AppendUint32(key, id)
		}
		key = binary.LittleEndian.AppendUint32(key, value.Own)
	}
	return key
}

// consumptionKey appends the consumption of a device, with counters and sets renamed.
func (s *searcher) consumptionKey(key []byte, position int, counter, set func(int) int) []byte {
	c := s.consumption(&s.Node.Words[position/bits.WordSize], position)
	for i := range c.Deltas {
		key = appendIndex(append(key, 'd'), counter(c.Deltas[i].Counter))
		key = c.Deltas[i].Amount.AppendKey(key)
	}
	for i := range c.Groups {
		key = appendNames(appendIndex(append(key, 'g'), set(c.Groups[i].Set)), c.Groups[i].Names)
	}
	return append(key, 'e')
}

// mark returns the index at which the failures of the current choice start.
func (y *symmetry) mark() int { return len(y.misses) }

func (y *symmetry) forget(mark int) { y.misses = y.misses[:mark] }

// fail records that a device failed.
func (y *symmetry) fail(position int) {
	if y.enabled && y.twin[position] >= 0 && y.unpicked(position) {
		m := miss{twin: y.twin[position], orbit: -1}
		if chosen, ok := y.chosen(position); ok {
			m.orbit, m.chosen = y.orbit[position], chosen
		}
		y.misses = append(y.misses, m)
	}
}

// failed returns whether the device can be skipped because an equivalent device failed at the same choice.
func (y *symmetry) failed(mark, position int) bool {
	if !y.enabled || mark == len(y.misses) || y.twin[position] < 0 || !y.unpicked(position) {
		return false
	}
	chosen, ok := y.chosen(position)
	for _, m := range y.misses[mark:] {
		if m.twin == y.twin[position] || ok && m.orbit == y.orbit[position] && m.chosen == chosen {
			return true
		}
	}
	return false
}

// unpicked returns whether the device is not chosen for any claim. With admin access it may be chosen again.
func (y *symmetry) unpicked(position int) bool {
	return len(y.s.taken) == 0 || !slices.ContainsFunc(y.s.picks, func(p Pick) bool { return p.Position == position })
}

// chosen returns the chosen members of the family of the device. It fails for devices without a family. If members
// are chosen, it also fails for large families and if a device can be chosen for several claims.
func (y *symmetry) chosen(position int) (members uint64, ok bool) {
	family := y.family[position]
	if family < 0 {
		return 0, false
	}
	for i := range y.s.picks {
		other := y.s.picks[i].Position
		if y.family[other] != family {
			continue
		}
		if len(y.s.taken) > 0 || len(y.members[family]) > bits.WordSize {
			return 0, false
		}
		members |= 1 << uint(y.member[other])
	}
	return members, true
}
