// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/client-go/tools/cache"
)

// maxStates is the maximum number of states that a stateLog keeps. It exceeds
// the number of changes between two views.
const maxStates = 4096

// object is the type of object that a stateLog records.
type object[T any] interface {
	*T
	metav1.Object
}

// stateLog records the sequence of states of all objects of a kind, as reported
// by a reflector. It is safe for concurrent use.
type stateLog[T any, P object[T]] struct {
	// matters reports whether an object is relevant. same reports whether two
	// states of an object are equivalent.
	matters func(P) bool
	same    func(a, b P) bool

	mu     sync.Mutex
	now    map[string]P
	states []state[P]
	// changed is closed and replaced after each change.
	changed chan struct{}
}

// state contains all objects of a kind at some time.
type state[P any] struct {
	objects []P
	// version is the resource version of the change to this state.
	version string
	// gap states that other states may have existed between the previous one
	// and this one.
	gap bool
	// same states that this state is equivalent to the previous one.
	same bool
}

func newStateLog[T any, P object[T]](matters func(P) bool, same func(a, b P) bool) *stateLog[T, P] {
	return &stateLog[T, P]{matters: matters, same: same, now: map[string]P{}, changed: make(chan struct{})}
}

// Add implements [cache.ReflectorStore].
func (j *stateLog[T, P]) Add(one any) error { return j.put(one, false) }

// Update implements [cache.ReflectorStore].
func (j *stateLog[T, P]) Update(one any) error { return j.put(one, false) }

// Delete implements [cache.ReflectorStore].
func (j *stateLog[T, P]) Delete(one any) error { return j.put(one, true) }

// Resync implements [cache.ReflectorStore].
func (j *stateLog[T, P]) Resync() error { return nil }

// Replace implements [cache.ReflectorStore]. The reflector calls it at the
// beginning and after each relist.
func (j *stateLog[T, P]) Replace(all []any, version string) error {
	now := map[string]P{}
	for _, one := range all {
		key, typed, err := identify[P](one)
		if err != nil {
			return err
		}
		if j.matters(typed) {
			now[key] = typed
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.now = now
	j.add(state[P]{gap: true, version: version})
	return nil
}

func (j *stateLog[T, P]) put(one any, deleted bool) error {
	key, typed, err := identify[P](one)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	before, exists := j.now[key]
	if deleted || !j.matters(typed) {
		if exists {
			delete(j.now, key)
			j.add(state[P]{version: typed.GetResourceVersion()})
		}
		return nil
	}
	j.now[key] = typed
	j.add(state[P]{same: exists && j.same(before, typed), version: typed.GetResourceVersion()})
	return nil
}

func identify[P metav1.Object](one any) (string, P, error) {
	typed, ok := one.(P)
	if !ok {
		return "", typed, fmt.Errorf("%T is not %T", one, typed)
	}
	return cache.MetaObjectToName(typed).String(), typed, nil
}

// all returns the current objects. The caller holds the lock.
func (j *stateLog[T, P]) all() []P {
	var all []P
	for _, key := range slices.Sorted(maps.Keys(j.now)) {
		all = append(all, j.now[key])
	}
	return all
}

// add records the current objects and wakes up waiting callers. The caller
// holds the lock.
func (j *stateLog[T, P]) add(s state[P]) {
	if len(j.states) == maxStates {
		j.states, s.gap = nil, true
	}
	s.objects = j.all()
	j.states = append(j.states, s)
	close(j.changed)
	j.changed = make(chan struct{})
}

// statesUntil finds the last state that equals objects, which were read at a resource
// version, and returns the states between the one that the last call found and this
// one. Later states can be equal, too, after objects were created and deleted.
// Equivalent states are left out. seamless states that no other states existed in
// between. If no state is found, more is closed on the next change.
func (j *stateLog[T, P]) statesUntil(objects []T, at string) (before [][]P, seamless, found bool, more <-chan struct{}) {
	wanted := map[string]P{}
	for i := range objects {
		if one := P(&objects[i]); j.matters(one) {
			wanted[cache.MetaObjectToName(one).String()] = one
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for i, s := range slices.Backward(j.states) {
		if isLater(s.version, at) || !j.has(s.objects, wanted) {
			continue
		}
		first := i // The first of the states that are equivalent to the found one.
		for first > 0 && j.states[first].same {
			first--
		}
		seamless = !j.states[0].gap
		for k := 1; k <= i; k++ {
			seamless = seamless && !j.states[k].gap
			if k < first && !j.states[k].same {
				before = append(before, j.states[k].objects)
			}
		}
		j.states = slices.Clone(j.states[i:])
		j.states[0].gap = false
		return before, seamless, true, j.changed
	}
	return nil, false, false, j.changed
}

// isLater reports whether a resource version is later than another one. It returns
// false if that is not known: fake clients do not set resource versions.
func isLater(version, other string) bool {
	order, err := resourceversion.CompareResourceVersion(version, other)
	return err == nil && order > 0
}

// markGap records that a state was not found. Whether later states follow it
// without a gap is unknown.
func (j *stateLog[T, P]) markGap() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.states) > 0 {
		j.states[0].gap = true
	}
}

// has reports whether a state consists of the wanted objects.
func (j *stateLog[T, P]) has(state []P, wanted map[string]P) bool {
	if len(state) != len(wanted) {
		return false
	}
	for _, one := range state {
		other, ok := wanted[cache.MetaObjectToName(one).String()]
		if !ok || one.GetUID() != other.GetUID() || one.GetResourceVersion() != other.GetResourceVersion() {
			return false
		}
		// Fake clients do not set resource versions.
		if one.GetResourceVersion() == "" && !j.same(one, other) {
			return false
		}
	}
	return true
}

// valuesOf returns copies of the values that pointers point to.
func valuesOf[T any](pointers []*T) []T {
	values := make([]T, len(pointers))
	for i, p := range pointers {
		values[i] = *p
	}
	return values
}
