package search

import (
	"encoding/binary"
	"slices"

	"github.com/draconform/draconform/allocator/internal/bits"
)

// symmetry is the skipping of devices that are as good as one that failed (P8).
//
// Twins are devices that no rule can tell apart: they suit the same alternatives, are allocated or not alike,
// have equal values in all constraints, and take the same from the same counters. If at some choice a
// device failed and its twin is free as well, the twin fails too.
//
// Proof: suppose a solution with the twin d' in place of d, which failed and stands before d'. Exchange d and
// d' in all that the solution chooses from here on. No rule notices. Within the request the choice is now d,
// and positions still ascend, since those behind d' stand behind d, too (if d itself was among these, it would
// stand before d', which it does not). So the exchanged solution is one in which d does not fail.
//
// The same holds for devices of two equal families. A family is all devices connected by counter sets, for
// example the partitions of one GPU. Two families are equal if an order-preserving pairing of their devices
// makes each pair indistinguishable, counters and what is left of them included, and each device stands before
// its partner. As long as the same members of both are chosen, exchanging whole families leaves everything as it
// is that later choices can notice, and it is the exchange of the proof for what is chosen from here on.
type symmetry struct {
	twin    []int // Per position; -1 if it has none.
	family  []int // Per position; -1 if it has none.
	orbit   []int // Per position: equal for partners in equal families.
	member  []int // Per position: its number in the family.
	members [][]int
	misses  []miss
	key     []byte // Scratch.
	enabled bool
	s       *searcher
}

// miss is a device that failed: its twin class, its orbit if that may be used, and which members of its family were
// chosen then.
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
		for rest := p.wanted(w); rest != 0; rest &= rest - 1 {
			position := w*bits.WordSize + bits.First(rest)
			key := p.s.signature(y.key[:0], w, rest&-rest)
			word := &p.s.Node.Words[w]
			if word.Slice.Flags(word.First/bits.WordSize).Consumes&(rest&-rest) != 0 && p.s.Node.Pools[word.Pool].Core != nil {
				key = appendIndex(append(key, 'p'), word.Pool)
				key = p.s.signature(key, w, rest&-rest)
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

// wanted returns the devices of word w that some alternative can choose and that the exchange may be
// applied to: shared ones and those with capacity in use are left out.
func (p *pruner) wanted(w int) uint64 { return p.eligible(w) &^ p.s.word(w).ledger }

// eligible returns the devices of word w that some alternative can choose.
func (p *pruner) eligible(w int) uint64 {
	s := p.s
	var eligible uint64
	for i := range s.alternatives {
		eligible |= s.verdict(&s.alternatives[i], w).yes
	}
	return eligible & s.valid(w)
}

// signature appends everything rules can say about a device except for its counters.
func (s *searcher) signature(key []byte, w int, bit uint64) []byte {
	position := w*bits.WordSize + bits.First(bit)
	key = append(key, flag(s.word(w).inUse&bit != 0))
	s.told = cleared(s.told, len(s.constraints))
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

// valueSignature appends the values that constraints compare. One that is an attribute of the device, and not derived
// for one alternative, is the same for all.
func (s *searcher) valueSignature(key []byte, a *alternative, position int) []byte {
	for j, applies := range a.Constraints {
		c := &s.Plan.Claims[a.Claim].Constraints[j]
		told := &s.told[s.firstOf[a.Claim]+j]
		if !applies || *told && a.Derived[c.Name] == nil {
			continue
		}
		*told = *told || a.Derived[c.Name] == nil
		value, err := s.value(a, c, position)
		key = appendIndex(append(key, flag(value.Set), flag(err != nil)), len(value.IDs))
		for _, id := range value.IDs {
			key = binary.LittleEndian.AppendUint32(key, id)
		}
		key = binary.LittleEndian.AppendUint32(key, value.Own)
	}
	return key
}

// consumptionKey appends what a device takes, with counters and sets renamed.
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

// mark returns the place from which on failures are those of the current choice.
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

// failed tells whether the device need not be tried because one like it failed at the same choice.
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

// unpicked tells whether the device was not chosen for any claim; with admin access it may be chosen again.
func (y *symmetry) unpicked(position int) bool {
	return len(y.s.taken) == 0 || !slices.ContainsFunc(y.s.picks, func(p Pick) bool { return p.Position == position })
}

// chosen returns which members of the device's family are chosen. It fails for devices without a family, for large
// families, and where a device can be chosen for several claims, unless nothing is chosen.
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
