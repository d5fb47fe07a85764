// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import (
	"slices"
	"strings"

	"github.com/draconform/draconform/allocator/internal/affinity"
	"github.com/draconform/draconform/allocator/internal/bits"
)

// The lock bound (P12): requests that state different affinity values need different devices.
//
// Proof: Take the devices that declare the same keys, and the requests that find all of their devices among these.
// Requests with equal values form a class. In a solution, each device holds the values of at most one class. A
// device that is locked to the values of one class cannot hold the values of another. A request gets different
// devices. So each class has at least as many devices of its own as its largest request needs. This is an assignment
// of devices to classes in which no device serves two classes. If no such assignment exists, there is no solution.
// Requests with admin access hold no values and are ignored.
type lockBound struct {
	kinds []lockKind
}

// lockKind is the set of devices that declare the same keys.
type lockKind struct {
	devices []uint64
	classes [][]string // The values of each class.
	class   []int      // Per alternative; -1 if it has no class.
	free    [][]uint64 // Scratch, per class.
	need    []int
}

func (b *lockBound) init(p *pruner) {
	s := p.s
	if s.Affinity == nil || !p.on(PruneLocks) {
		return
	}
	known := map[string]int{}
	for w := range s.Node.Words {
		word := &s.Node.Words[w]
		sh := s.Affinity.of(word.Slice)
		if sh == nil || sh.err != nil {
			continue
		}
		for rest := sh.declared[word.First/bits.WordSize]; rest != 0; rest &= rest - 1 {
			keys := sh.devices[word.First+bits.First(rest)].keys
			name := strings.Join(keys, " ") // Keys contain no spaces.
			i, ok := known[name]
			if !ok {
				i = len(b.kinds)
				known[name] = i
				b.kinds = append(b.kinds, newLockKind(s, keys))
			}
			b.kinds[i].devices[w] |= rest & -rest
		}
	}
}

func newLockKind(s *searcher, keys []string) lockKind {
	k := lockKind{devices: make([]uint64, len(s.Node.Words)), class: make([]int, len(s.alternatives))}
	for i := range s.alternatives {
		a := &s.alternatives[i]
		values, problem := a.Entry.Values(keys)
		if k.class[i] = -1; a.Admin || problem.Kind != affinity.None {
			continue
		}
		if k.class[i] = k.classOf(values); k.class[i] < 0 {
			k.class[i] = len(k.classes)
			k.classes = append(k.classes, values)
			k.free = append(k.free, make([]uint64, len(s.Node.Words)))
		}
	}
	k.need = make([]int, len(k.classes))
	return k
}

func (k *lockKind) classOf(values []string) int {
	return slices.IndexFunc(k.classes, func(known []string) bool { return slices.Equal(known, values) })
}

// suffice returns false if there are not enough devices for the affinity values of the demands.
func (b *lockBound) suffice(p *pruner) bool {
	for i := range b.kinds {
		if k := &b.kinds[i]; len(k.classes) > 1 && !k.suffice(p) {
			return false
		}
	}
	return true
}

func (k *lockKind) suffice(p *pruner) bool {
	k.collect(p)
	f := &p.flow
	f.reset(len(p.s.Node.Words))
	for c, need := range k.need {
		if need > 0 {
			f.add(k.free[c], need)
		}
	}
	f.capacity = func(int, uint64) int { return 1 }
	ok := f.saturate()
	p.s.steps += f.work / 16
	return ok
}

// collect determines how many devices each class needs and which devices are free for it.
func (k *lockKind) collect(p *pruner) {
	clear(k.need)
	for c := range k.free {
		clear(k.free[c])
	}
	for i := range p.demands {
		d := &p.demands[i]
		if c := k.only(d); c >= 0 && d.need > 0 && !d.admin {
			k.need[c] = max(k.need[c], d.need)
			for w, word := range d.free {
				k.free[c][w] |= word
			}
		}
	}
	for position, lock := range p.s.locks {
		w, bit := bits.Bit(position)
		if k.devices[w]&bit == 0 {
			continue
		}
		holder := k.classOf(lock.values)
		for c := range k.free {
			if c != holder {
				k.free[c][w] &^= bit
			}
		}
	}
}

// only returns the class of a demand. The devices of the demand must all be of this kind and its usable alternatives
// must all have the same class, otherwise only returns -1.
func (k *lockKind) only(d *demand) int {
	for w, word := range d.free {
		if word&^k.devices[w] != 0 {
			return -1
		}
	}
	class := -1
	for i, alternative := range d.usable {
		if c := k.class[alternative]; i == 0 {
			class = c
		} else if c != class {
			return -1
		}
	}
	return class
}
