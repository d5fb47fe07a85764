// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import (
	"slices"

	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator/internal/affinity"
	"github.com/draconform/draconform/allocator/internal/bits"
	"github.com/draconform/draconform/allocator/internal/pools"
	"github.com/draconform/draconform/internal/fault"
)

// Affinity is the sharing affinity of devices (KEP-5981): their declarations and the values to which active claims
// lock them. It is computed on demand and cached. It is safe for concurrent use.
type Affinity struct {
	state     *affinity.State
	allocated *Allocated
	pack      bool

	slices cache[*pools.Slice, *sharing]
}

// NewAffinity returns the affinity that results from active claims and the allocated state. A device that is
// allocated for a claim that is not given has unknown values. With pack, devices that are locked to the values of a
// request come first.
func NewAffinity(state *affinity.State, allocated *Allocated, pack bool) *Affinity {
	return &Affinity{state: state, allocated: allocated, pack: pack}
}

// Packing returns whether devices that are locked to the values of a request come first.
func (f *Affinity) Packing() bool { return f != nil && f.pack }

// sharing is the affinity of the devices of a slice.
type sharing struct {
	declared []uint64 // Per word: devices that declare sharing affinity.
	devices  []affinityDevice
	err      error // The error in the declarations. In this case all devices count as declaring sharing affinity.
}

type affinityDevice struct {
	keys []string
	lock affinity.Lock
}

// of returns the affinity of a slice, or nil if its devices declare none. The nil case only reads the annotations.
func (f *Affinity) of(slice *pools.Slice) *sharing {
	if f == nil || len(slice.API.Annotations) == 0 {
		return nil
	}
	return f.slices.get(slice, f.read)
}

type declarationsKey struct{}

func (f *Affinity) read(slice *pools.Slice) *sharing {
	declared := slice.Column(declarationsKey{}, func() any { return affinity.Read(slice.API) }).(*affinity.Declarations)
	if declared == nil {
		return nil
	}
	sh := &sharing{declared: make([]uint64, slice.Words()), devices: make([]affinityDevice, slice.Len()), err: declared.Err}
	for i := range sh.devices {
		w, bit := bits.Bit(i)
		switch {
		case sh.err != nil:
			sh.declared[w] |= bit
		case len(declared.Keys[i]) > 0:
			sh.declared[w] |= bit
			sh.devices[i] = affinityDevice{declared.Keys[i], f.lock(slice.ID(i), declared.Keys[i])}
		}
	}
	return sh
}

func (f *Affinity) lock(id structured.DeviceID, keys []string) affinity.Lock {
	if f.unclaimed(id) && !fault.ForgetsLocksAtRestart {
		return affinity.Lock{Unknown: true}
	}
	return f.state.Lock(id, keys)
}

// unclaimed returns whether the device or a share of it is allocated for a claim that was not given.
func (f *Affinity) unclaimed(id structured.DeviceID) bool {
	u := f.allocated.Device(id)
	if (u.Alone || u.Consumed != nil) && !f.state.Knows(id) {
		return true
	}
	return slices.ContainsFunc(u.Shares, func(share structured.SharedDeviceID) bool { return !f.state.KnowsShare(share) })
}

// Problem returns why the affinity of device i excludes it for a request with the given entry, independent of other
// choices. The steps are those of the filter in the KEP, which checks capacity first.
func (f *Affinity) Problem(slice *pools.Slice, i int, entry *affinity.Entry) affinity.Problem {
	sh := f.of(slice)
	w, bit := bits.Bit(i)
	if sh == nil || sh.declared[w]&bit == 0 {
		return affinity.Problem{}
	}
	d := &sh.devices[i]
	switch {
	case sh.err != nil:
		return affinity.Problem{Kind: affinity.Unreadable, Err: sh.err}
	case d.lock.Unknown:
		return affinity.Problem{Kind: affinity.Unknown}
	}
	for k, key := range d.keys {
		value, problem := entry.Value(key)
		if fault.AcceptsMissingKeys && problem.Kind == affinity.MissingKey {
			continue
		}
		if problem.Kind != affinity.None {
			return problem
		}
		if d.lock.Values != nil && d.lock.Values[k] != value {
			return d.mismatch(entry)
		}
	}
	return affinity.Problem{}
}

// mismatch returns the first problem of an entry whose values differ from the lock. Missing keys precede different
// values.
func (d *affinityDevice) mismatch(entry *affinity.Entry) affinity.Problem {
	values, problem := entry.Values(d.keys)
	for k := 0; k < len(values) && problem.Kind == affinity.None; k++ {
		if values[k] != d.lock.Values[k] {
			problem = affinity.Problem{Kind: affinity.Mismatch, Key: d.keys[k], Locked: d.lock.Values[k], Stated: values[k]}
		}
	}
	return problem
}

// excluded returns the subset of the given devices of a word that their affinity excludes for the alternative. Admin
// access neither needs nor creates a lock, because it uses devices that other claims use.
func (s *searcher) excluded(a *alternative, word *pools.Word, of uint64) uint64 {
	sh := s.Affinity.of(word.Slice)
	if sh == nil || a.Admin {
		return 0
	}
	var excluded uint64
	for rest := of & sh.declared[word.First/bits.WordSize]; rest != 0; rest &= rest - 1 {
		if s.Affinity.Problem(word.Slice, word.First+bits.First(rest), a.Entry).Kind != affinity.None {
			excluded |= rest & -rest
		}
	}
	return excluded
}

// preferred returns the devices of a word that active claims lock to the values of the alternative. It returns none
// if packing is disabled.
func (s *searcher) preferred(a *alternative, word *pools.Word) uint64 {
	if !s.packing || a.Admin {
		return 0
	}
	sh := s.Affinity.of(word.Slice)
	if sh == nil {
		return 0
	}
	at := word.First / bits.WordSize
	preferred := sh.declared[at] &^ s.excluded(a, word, sh.declared[at])
	for rest := preferred; rest != 0; rest &= rest - 1 {
		if sh.devices[word.First+bits.First(rest)].lock.Values == nil {
			preferred &^= rest & -rest
		}
	}
	return preferred
}
