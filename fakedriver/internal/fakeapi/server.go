// Package fakeapi is an API server for tests that treats ResourceSlices with
// counters and shared devices as the releases of Kubernetes do.
package fakeapi

import (
	"fmt"
	"slices"
	"strconv"
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"
)

// Server decides what becomes of ResourceSlices.
type Server struct {
	// Client talks to the server.
	Client *fake.Clientset

	mu sync.Mutex
	// separateCounters is set for releases since 1.35.
	separateCounters bool
	// partitionable is the feature gate DRAPartitionableDevices, consumable is
	// DRAConsumableCapacity.
	partitionable, consumable gate
	// refuse says why requests about ResourceSlices fail, if they do.
	refuse func(verb, driver string) error
	writes int
}

// gate is a feature gate. Dry runs may keep fields that are dropped otherwise, as
// if they were answered by another API server.
type gate struct{ enabled, dryRunLies bool }

func (g gate) keeps(dryRun bool) bool { return g.enabled || dryRun && g.dryRunLies }

// Option changes a server, also while it runs.
type Option func(*Server)

// Kubernetes134 makes the server demand counters in the slices of the devices.
// Without it, they must be in slices of their own.
func Kubernetes134(s *Server) { s.separateCounters = false }

// Kubernetes135 undoes Kubernetes134.
func Kubernetes135(s *Server) { s.separateCounters = true }

// GateOff disables DRAPartitionableDevices.
func GateOff(s *Server) { s.partitionable = gate{} }

// GateOn enables DRAPartitionableDevices.
func GateOn(s *Server) { s.partitionable = gate{enabled: true} }

// DryRunLies disables DRAPartitionableDevices except for dry runs.
func DryRunLies(s *Server) { s.partitionable = gate{dryRunLies: true} }

// SharingOff disables DRAConsumableCapacity.
func SharingOff(s *Server) { s.consumable = gate{} }

// SharingOn enables DRAConsumableCapacity.
func SharingOn(s *Server) { s.consumable = gate{enabled: true} }

// SharingDryRunLies disables DRAConsumableCapacity except for dry runs.
func SharingDryRunLies(s *Server) { s.consumable = gate{dryRunLies: true} }

// Refuse makes requests about ResourceSlices fail for which there is an error,
// except for watches. The driver is that of a slice that is created or updated.
func Refuse(reason func(verb, driver string) error) Option {
	return func(s *Server) { s.refuse = reason }
}

// RefuseNothing undoes Refuse.
func RefuseNothing(s *Server) { s.refuse = nil }

// New returns a server that behaves like Kubernetes 1.35 and later with
// DRAPartitionableDevices and DRAConsumableCapacity enabled, unless options say
// something else.
func New(objects []runtime.Object, options ...Option) *Server {
	s := &Server{Client: fake.NewClientset(objects...), separateCounters: true, partitionable: gate{enabled: true}, consumable: gate{enabled: true}}
	s.Change(options...)
	s.Client.PrependReactor("create", "resourceslices", s.create)
	s.Client.PrependReactor("update", "resourceslices", s.update)
	s.Client.PrependReactor("list", "resourceslices", s.list)
	s.Client.PrependReactor("*", "resourceslices", s.refused)
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

func (s *Server) refused(action clienttesting.Action) (bool, runtime.Object, error) {
	s.mu.Lock()
	refuse := s.refuse
	s.mu.Unlock()
	if refuse == nil {
		return false, nil, nil
	}
	driver := ""
	if create, ok := action.(clienttesting.CreateAction); ok { // An update looks the same.
		driver = create.GetObject().(*resourceapi.ResourceSlice).Spec.Driver
	}
	err := refuse(action.GetVerb(), driver)
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

// selected are the fields by which slices can be selected.
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

// admit does what happens to a slice on its way into storage.
func (s *Server) admit(slice, old *resourceapi.ResourceSlice, dryRun bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.partitionable.keeps(dryRun) && (old == nil || !usesCounters(old)) {
		dropCounters(slice)
	}
	if !s.consumable.keeps(dryRun) && (old == nil || !usesSharing(old)) {
		dropSharing(slice)
	}
	if errs := s.validate(slice); len(errs) > 0 {
		return apierrors.NewInvalid(resourceapi.SchemeGroupVersion.WithKind("ResourceSlice").GroupKind(), slice.Name, errs)
	}
	s.writes++
	if slice.Name == "" {
		slice.Name = slice.GenerateName + strconv.Itoa(s.writes)
	}
	slice.ResourceVersion = strconv.Itoa(s.writes)
	return nil
}

func dropCounters(slice *resourceapi.ResourceSlice) {
	slice.Spec.SharedCounters = nil
	for i := range slice.Spec.Devices {
		slice.Spec.Devices[i].ConsumesCounters = nil
	}
}

func dropSharing(slice *resourceapi.ResourceSlice) {
	for i := range slice.Spec.Devices {
		device := &slice.Spec.Devices[i]
		device.AllowMultipleAllocations = nil
		for name, capacity := range device.Capacity {
			capacity.RequestPolicy = nil
			device.Capacity[name] = capacity
		}
	}
}

func usesSharing(slice *resourceapi.ResourceSlice) bool {
	return slices.ContainsFunc(slice.Spec.Devices, func(device resourceapi.Device) bool {
		return device.AllowMultipleAllocations != nil
	})
}

func usesCounters(slice *resourceapi.ResourceSlice) bool {
	for _, device := range slice.Spec.Devices {
		if len(device.ConsumesCounters) > 0 {
			return true
		}
	}
	return len(slice.Spec.SharedCounters) > 0
}

// validate repeats those rules of the API that differ between releases.
func (s *Server) validate(slice *resourceapi.ResourceSlice) field.ErrorList {
	spec := field.NewPath("spec")
	if s.separateCounters {
		if slice.Spec.SharedCounters != nil && slice.Spec.Devices != nil {
			return field.ErrorList{field.Invalid(spec, "", "only one of `sharedCounters` or `devices` is allowed")}
		}
		return nil
	}
	defined := map[string]bool{}
	for _, set := range slice.Spec.SharedCounters {
		defined[set.Name] = true
	}
	var errs field.ErrorList
	for i, device := range slice.Spec.Devices {
		for _, consumption := range device.ConsumesCounters {
			if !defined[consumption.CounterSet] {
				errs = append(errs, field.Invalid(spec.Child("devices").Index(i), consumption.CounterSet,
					fmt.Sprintf("must reference a counterSet defined in the ResourceSlice %s", slice.Name)))
			}
		}
	}
	return errs
}
