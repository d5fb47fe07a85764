// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package fakeapi provides tests with fake API servers: one that treats
// ResourceSlices as the supported releases of Kubernetes do, and one that
// forwards requests to a pod.
package fakeapi

import (
	"slices"
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"
)

// Server admits and stores ResourceSlices.
type Server struct {
	// Client is a client for the server.
	Client *fake.Clientset

	mu sync.Mutex
	// separateCounters is set for releases from 1.35.
	separateCounters bool
	// partitionable is the feature gate DRAPartitionableDevices, consumable is
	// DRAConsumableCapacity.
	partitionable, consumable gate
	// rejects returns an error for requests for ResourceSlices that must fail.
	// It may be nil.
	rejects func(verb, driver string) error
	writes  int
}

// gate is a feature gate. With onlyInDryRun, dry runs keep fields that other
// requests drop, as if another API server had answered them.
type gate struct{ enabled, onlyInDryRun bool }

func (g gate) keeps(dryRun bool) bool { return g.enabled || dryRun && g.onlyInDryRun }

// Option changes the behavior of a server. It may be applied while the server
// is running.
type Option func(*Server)

// Kubernetes134 makes the server require counter sets in the slices of the
// devices that consume from them. Without it, counter sets must be in separate
// slices.
func Kubernetes134(s *Server) { s.separateCounters = false }

// Kubernetes135 undoes Kubernetes134.
func Kubernetes135(s *Server) { s.separateCounters = true }

// CountersOff disables DRAPartitionableDevices.
func CountersOff(s *Server) { s.partitionable = gate{} }

// CountersOn enables DRAPartitionableDevices.
func CountersOn(s *Server) { s.partitionable = gate{enabled: true} }

// CountersOnlyInDryRun disables DRAPartitionableDevices except for dry runs.
func CountersOnlyInDryRun(s *Server) { s.partitionable = gate{onlyInDryRun: true} }

// SharingOff disables DRAConsumableCapacity.
func SharingOff(s *Server) { s.consumable = gate{} }

// SharingOn enables DRAConsumableCapacity.
func SharingOn(s *Server) { s.consumable = gate{enabled: true} }

// SharingOnlyInDryRun disables DRAConsumableCapacity except for dry runs.
func SharingOnlyInDryRun(s *Server) { s.consumable = gate{onlyInDryRun: true} }

// Reject makes requests for ResourceSlices fail if reason returns an error for
// them. Watches are not affected. The driver is that of the slice in a create
// or update request.
func Reject(reason func(verb, driver string) error) Option {
	return func(s *Server) { s.rejects = reason }
}

// RejectNothing undoes Reject.
func RejectNothing(s *Server) { s.rejects = nil }

// New returns a server that behaves like Kubernetes 1.35 and later with
// DRAPartitionableDevices and DRAConsumableCapacity enabled, unless the options
// change that.
func New(objects []runtime.Object, options ...Option) *Server {
	s := &Server{Client: fake.NewClientset(objects...), separateCounters: true, partitionable: gate{enabled: true}, consumable: gate{enabled: true}}
	s.Change(options...)
	s.Client.PrependReactor("create", "resourceslices", s.create)
	s.Client.PrependReactor("update", "resourceslices", s.update)
	s.Client.PrependReactor("list", "resourceslices", s.list)
	s.Client.PrependReactor("*", "resourceslices", s.reject)
	s.Client.PrependWatchReactor("resourceslices", s.watch)
	return s
}

// Change applies options.
func (s *Server) Change(options ...Option) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, option := range options {
		option(s)
	}
}

func (s *Server) reject(action clienttesting.Action) (bool, runtime.Object, error) {
	s.mu.Lock()
	rejects := s.rejects
	s.mu.Unlock()
	if rejects == nil {
		return false, nil, nil
	}
	driver := ""
	if create, ok := action.(clienttesting.CreateAction); ok { // Update actions also implement CreateAction.
		driver = create.GetObject().(*resourceapi.ResourceSlice).Spec.Driver
	}
	err := rejects(action.GetVerb(), driver)
	return err != nil, nil, err
}

func (s *Server) create(action clienttesting.Action) (bool, runtime.Object, error) {
	create := action.(clienttesting.CreateActionImpl)
	slice := create.GetObject().(*resourceapi.ResourceSlice).DeepCopy()
	dryRun := len(create.CreateOptions.DryRun) > 0
	if err := s.admit(slice, nil, dryRun); err != nil {
		return true, nil, err
	}
	if dryRun {
		return true, slice, nil
	}
	err := s.Client.Tracker().Create(action.GetResource(), slice, "")
	return true, slice, err
}

func (s *Server) update(action clienttesting.Action) (bool, runtime.Object, error) {
	slice := action.(clienttesting.UpdateAction).GetObject().(*resourceapi.ResourceSlice).DeepCopy()
	old, err := s.Client.Tracker().Get(action.GetResource(), "", slice.Name)
	if err != nil {
		return true, nil, err
	}
	if err := s.admit(slice, old.(*resourceapi.ResourceSlice), false); err != nil {
		return true, nil, err
	}
	err = s.Client.Tracker().Update(action.GetResource(), slice, "")
	return true, slice, err
}

// selected returns the fields that field selectors of slices can use.
func selected(slice *resourceapi.ResourceSlice) fields.Set {
	return fields.Set{
		resourceapi.ResourceSliceSelectorDriver:   slice.Spec.Driver,
		resourceapi.ResourceSliceSelectorNodeName: ptr.Deref(slice.Spec.NodeName, ""),
	}
}

func (s *Server) list(action clienttesting.Action) (bool, runtime.Object, error) {
	all, err := s.Client.Tracker().List(action.GetResource(), resourceapi.SchemeGroupVersion.WithKind("ResourceSlice"), "")
	if err != nil {
		return true, nil, err
	}
	selector := action.(clienttesting.ListAction).GetListRestrictions().Fields
	list := all.(*resourceapi.ResourceSliceList).DeepCopy()
	list.Items = slices.DeleteFunc(list.Items, func(slice resourceapi.ResourceSlice) bool { return !selector.Matches(selected(&slice)) })
	return true, list, nil
}

func (s *Server) watch(action clienttesting.Action) (bool, watch.Interface, error) {
	selector := action.(clienttesting.WatchAction).GetWatchRestrictions().Fields
	all, err := s.Client.Tracker().Watch(action.GetResource(), "")
	if err != nil {
		return true, nil, err
	}
	return true, watch.Filter(all, func(event watch.Event) (watch.Event, bool) {
		slice, ok := event.Object.(*resourceapi.ResourceSlice)
		return event, !ok || selector.Matches(selected(slice))
	}), nil
}
