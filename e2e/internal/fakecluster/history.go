// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"fmt"
	"strconv"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	clienttesting "k8s.io/client-go/testing"
)

// maxReplayed is the maximum number of events that a watch starts with. The channel of
// a fake watch has room for 100 events, and panics if it is full.
const maxReplayed = 50

// history is an object tracker whose watches begin with all that happened since their
// resource version, like those of an API server. Other fake watches lack the objects
// that were created and deleted between a list and the watch that follows it.
type history struct {
	clienttesting.ObjectTracker

	mu     sync.Mutex // held by changes, so that their events are in order
	events map[schema.GroupVersionResource][]watch.Event
}

func newHistory(tracker clienttesting.ObjectTracker) *history {
	return &history{ObjectTracker: tracker, events: map[schema.GroupVersionResource][]watch.Event{}}
}

func (h *history) Create(resource schema.GroupVersionResource, o runtime.Object, namespace string, options ...metav1.CreateOptions) error {
	return h.change(resource, watch.Event{Type: watch.Added, Object: o}, func() error { return h.ObjectTracker.Create(resource, o, namespace, options...) })
}

func (h *history) Update(resource schema.GroupVersionResource, o runtime.Object, namespace string, options ...metav1.UpdateOptions) error {
	return h.change(resource, watch.Event{Type: watch.Modified, Object: o}, func() error { return h.ObjectTracker.Update(resource, o, namespace, options...) })
}

func (h *history) Patch(resource schema.GroupVersionResource, o runtime.Object, namespace string, options ...metav1.PatchOptions) error {
	return h.change(resource, watch.Event{Type: watch.Modified, Object: o}, func() error { return h.ObjectTracker.Patch(resource, o, namespace, options...) })
}

func (h *history) Delete(resource schema.GroupVersionResource, namespace, name string, options ...metav1.DeleteOptions) error {
	deleted, err := h.Get(resource, namespace, name)
	if err != nil {
		return err
	}
	return h.change(resource, watch.Event{Type: watch.Deleted, Object: deleted}, func() error { return h.ObjectTracker.Delete(resource, namespace, name, options...) })
}

func (h *history) change(resource schema.GroupVersionResource, event watch.Event, change func() error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := change(); err != nil {
		return err
	}
	event.Object = event.Object.DeepCopyObject()
	h.events[resource] = append(h.events[resource], event)
	return nil
}

// count returns the number of changes of all objects so far.
func (h *history) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	changes := 0
	for _, events := range h.events {
		changes += len(events)
	}
	return changes
}

// countOf returns the number of changes of the objects of a resource so far.
func (h *history) countOf(resource schema.GroupVersionResource) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.events[resource])
}

// List returns a list whose resource version is one more than the number of changes so
// far, because clients do not accept 0.
func (h *history) List(resource schema.GroupVersionResource, kind schema.GroupVersionKind, namespace string, options ...metav1.ListOptions) (runtime.Object, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	list, err := h.ObjectTracker.List(resource, kind, namespace, options...)
	if err != nil {
		return nil, err
	}
	accessor, err := meta.ListAccessor(list)
	if err != nil {
		return nil, err
	}
	accessor.SetResourceVersion(strconv.Itoa(1 + len(h.events[resource])))
	return list, nil
}

// watchSince starts a watch of the objects of a resource in all namespaces. Its first
// events are what happened since the resource version of a list.
func (h *history) watchSince(resource schema.GroupVersionResource, version string) (watch.Interface, error) {
	since, err := strconv.Atoi(version)
	if err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("watch %s: resource version %q: %v", resource.Resource, version, err))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	missed := h.events[resource][min(since-1, len(h.events[resource])):]
	if len(missed) > maxReplayed {
		return nil, apierrors.NewResourceExpired(fmt.Sprintf("watch %s: %d changes since resource version %s are too many", resource.Resource, len(missed), version))
	}
	started, err := h.Watch(resource, metav1.NamespaceAll)
	if err != nil {
		return nil, err
	}
	for _, event := range missed {
		started.(*watch.RaceFreeFakeWatcher).Action(event.Type, event.Object.DeepCopyObject())
	}
	return started, nil
}
