// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pools

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/allocator/internal/bits"
	"github.com/draconform/draconform/internal/fault"
)

// Node is the view of a node: the pools and devices that it can use. Nodes with the same view share it.
type Node struct {
	// Pools are in the order in which devices are tried: by driver and pool name, with binding conditions last.
	Pools []Segment
	// Words describes the devices word by word, in the order of pools and slices.
	Words []Word
	// Own reports whether slices or devices name this node, so that no other node has the same view.
	Own bool
	// Invalid reports whether a pool failed validation.
	Invalid bool
}

// Segment is one pool as seen by the node.
type Segment struct {
	*View
	First int // The first word of the devices of the pool.
}

// Word is up to 64 devices of one slice.
type Word struct {
	Slice *Slice
	Pool  int // Index in Node.Pools.
	First int // The index in the slice of the device of bit 0.
	Reach uint64
	// Errors are devices whose own node selector cannot be parsed.
	Errors uint64
}

type viewKey struct{ name, selected string }

// Node returns the view of a node. It returns an error if a node selector cannot be parsed. There is no error if the
// selector belongs to a device that need not be evaluated to determine that its slice matches the node.
func (inv *Inventory) Node(node *corev1.Node) (*Node, error) {
	shared := inv.sharedReach()
	selected := shared.matches(node)
	var key viewKey
	if _, ok := inv.byNode[node.Name]; ok || shared.names[node.Name] {
		key.name = node.Name
	}
	if len(selected) > 0 {
		var b []byte
		for _, word := range selected {
			b = binary.LittleEndian.AppendUint64(b, word)
		}
		key.selected = string(b)
	}
	inv.mu.Lock()
	defer inv.mu.Unlock()
	if view := inv.views[key]; view != nil {
		return view, nil
	}
	view, err := inv.build(node.Name, selected)
	if err != nil {
		return nil, err
	}
	view.Own = key.name != ""
	inv.views[key] = view
	return view, nil
}

func (inv *Inventory) build(node string, selected bits.Set) (*Node, error) {
	var found relevant
	for _, slice := range inv.local(node) {
		if !inv.settings.ignores(slice) {
			found.add(slice)
		}
	}
	for _, slice := range inv.reach.slices {
		ok, err := inv.reach.reaches(slice, node, selected)
		if err != nil {
			return nil, err
		}
		if ok {
			found.add(slice)
		}
	}
	view := &Node{}
	for i := range found.pools {
		pool := inv.pool(found.pools[i].key)
		if v := pool.view(found.pools[i].slices); v != nil {
			view.Pools = append(view.Pools, Segment{View: v})
		}
	}
	slices.SortFunc(view.Pools, compareSegments)
	for i := range view.Pools {
		inv.place(view, i, node, selected)
	}
	return view, nil
}

func compareSegments(a, b Segment) int {
	if a.Binding != b.Binding {
		if b.Binding {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(a.Driver, b.Driver), compareNames(a.Pool, b.Pool))
}

// place appends the words of one pool to the view.
func (inv *Inventory) place(view *Node, pool int, node string, selected bits.Set) {
	segment := &view.Pools[pool]
	segment.First = len(view.Words)
	view.Invalid = view.Invalid || segment.Invalid != ""
	for _, slice := range segment.Slices {
		for w := range slice.Words() {
			word := Word{Slice: slice, Pool: pool, First: w * bits.WordSize, Reach: slice.Valid(w)}
			if perDevice(slice) {
				inv.narrow(&word, node, selected)
			}
			view.Words = append(view.Words, word)
		}
	}
}

// narrow keeps the devices whose own node selection matches the node.
func (inv *Inventory) narrow(word *Word, node string, selected bits.Set) {
	for rest := word.Reach; rest != 0; rest &= rest - 1 {
		bit := rest & -rest
		d := &word.Slice.devices[word.First+bits.First(rest)]
		switch {
		case d.err != nil:
			word.Errors |= bit
		case !d.matches(&inv.reach, node, selected):
			word.Reach &^= bit
		}
	}
}

// SelectionError returns why the node selector of device i cannot be used, or nil if it can.
func (s *Slice) SelectionError(i int) error { return s.devices[i].err }

// relevant collects, for each pool, the slices of the highest generation among the slices that match the node.
type relevant struct {
	pools []relevantPool
	at    map[Key]int
}

type relevantPool struct {
	key    Key
	slices []*Slice
}

func (r *relevant) add(slice *Slice) {
	spec := &slice.API.Spec
	key := Key{spec.Driver, spec.Pool.Name}
	i := r.find(key)
	if i < 0 {
		r.insert(relevantPool{key, []*Slice{slice}})
		return
	}
	p := &r.pools[i]
	switch known := p.slices[0].API.Spec.Pool.Generation; {
	case isNewer(spec.Pool.Generation, known):
		p.slices = []*Slice{slice}
	case spec.Pool.Generation == known:
		p.slices = append(p.slices, slice)
	}
}

func isNewer(generation, than int64) bool {
	switch {
	case fault.UsesOldGenerations:
		return generation < than
	case fault.ComparesGenerationsAsText:
		return strconv.FormatInt(generation, 10) > strconv.FormatInt(than, 10)
	}
	return generation > than
}

func (r *relevant) find(key Key) int {
	if n := len(r.pools); n > 0 && r.pools[n-1].key == key {
		return n - 1
	}
	if i, ok := r.at[key]; ok {
		return i
	}
	return -1
}

func (r *relevant) insert(p relevantPool) {
	if r.at == nil {
		r.at = map[Key]int{}
	}
	r.at[p.key] = len(r.pools)
	r.pools = append(r.pools, p)
}
