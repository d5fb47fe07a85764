// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package features_test

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/e2e/features"
)

// cluster returns the client of a cluster that serves these API versions.
func cluster(groupVersions ...string) *fake.Clientset {
	client := fake.NewClientset()
	// The fake client would store what is created in dry runs.
	client.PrependReactor("create", "resourceclaims", func(a clienttesting.Action) (bool, runtime.Object, error) {
		return true, a.(clienttesting.CreateActionImpl).GetObject(), nil
	})
	for _, gv := range groupVersions {
		client.Resources = append(client.Resources, &metav1.APIResourceList{GroupVersion: gv})
	}
	answerClaim(client, anyRequest, asItWas, nil)
	return client
}

// answer sets the result of creating a slice and returns the recorded requests.
func answer(client *fake.Clientset, stored func(*resourceapi.ResourceSlice), err error) *[]clienttesting.CreateActionImpl {
	var requests []clienttesting.CreateActionImpl
	client.PrependReactor("create", "resourceslices", func(a clienttesting.Action) (bool, runtime.Object, error) {
		create := a.(clienttesting.CreateActionImpl)
		requests = append(requests, create)
		slice := create.GetObject().(*resourceapi.ResourceSlice).DeepCopy()
		stored(slice)
		return true, slice, err
	})
	return &requests
}

// answerClaim sets the result of creating a claim with a request of some kind,
// and returns the recorded requests to the API server.
func answerClaim(client *fake.Clientset, of func(resourceapi.DeviceRequest) bool, stored func(*resourceapi.DeviceRequest), err error) *[]clienttesting.CreateActionImpl {
	var requests []clienttesting.CreateActionImpl
	client.PrependReactor("create", "resourceclaims", func(a clienttesting.Action) (bool, runtime.Object, error) {
		create := a.(clienttesting.CreateActionImpl)
		claim := create.GetObject().(*resourceapi.ResourceClaim).DeepCopy()
		if !of(claim.Spec.Devices.Requests[0]) {
			return false, nil, nil
		}
		requests = append(requests, create)
		stored(&claim.Spec.Devices.Requests[0])
		return true, claim, err
	})
	return &requests
}

func anyRequest(resourceapi.DeviceRequest) bool { return true }
func withList(r resourceapi.DeviceRequest) bool { return len(r.FirstAvailable) > 0 }
func withAdminAccess(r resourceapi.DeviceRequest) bool {
	return r.Exactly != nil && r.Exactly.AdminAccess != nil
}
func asItWas(*resourceapi.DeviceRequest) {}

// invalid returns the validation error of an API server for a claim.
func invalid(problem *field.Error) error {
	return apierrors.NewInvalid(resourceapi.SchemeGroupVersion.WithKind("ResourceClaim").GroupKind(), "probe", field.ErrorList{problem})
}

func TestDetectPrioritizedList(t *testing.T) {
	path := field.NewPath("spec", "devices", "requests")
	for name, test := range map[string]struct {
		stored  func(*resourceapi.DeviceRequest)
		answer  error
		present bool
		why     string
	}{
		"kept": {asItWas, nil, true, "the API server keeps spec.devices.requests[].firstAvailable of a ResourceClaim (dry run)"},
		// Kubernetes 1.34 to 1.36 with the feature gate DRAPrioritizedList
		// disabled.
		"rejected": {asItWas, invalid(field.Required(path.Index(0), "exactly one of `exactly` or `firstAvailable` is required")), false, "the API server drops spec.devices.requests[].firstAvailable of a ResourceClaim (dry run)"},
		"dropped": {
			func(r *resourceapi.DeviceRequest) { r.FirstAvailable = nil }, nil, false,
			"the API server drops spec.devices.requests[].firstAvailable of a ResourceClaim (dry run)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := cluster("resource.k8s.io/v1")
			answer(client, func(*resourceapi.ResourceSlice) {}, nil)
			requests := answerClaim(client, withList, test.stored, test.answer)
			found, err := features.Detect(t.Context(), client, features.Known{}, nil)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(found[features.PrioritizedList]).To(Equal(features.Presence{Present: test.present, Source: test.why}))
			g.Expect(*requests).To(HaveLen(1))
			g.Expect((*requests)[0].CreateOptions.DryRun).To(Equal([]string{metav1.DryRunAll}), "nothing may be stored")
			g.Expect((*requests)[0].GetNamespace()).To(Equal("default"), "the only namespace that every cluster has")
		})
	}
	// Errors about other fields and of admission controllers do not show
	// whether the feature is present.
	for name, rejection := range map[string]error{
		"another field": invalid(field.Required(path.Index(0).Child("name"), "")),
		"a webhook":     apierrors.NewForbidden(resourceapi.Resource("resourceclaims"), "probe", errors.New("no claims here")),
		"an outage":     errors.New("connection refused"),
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := cluster("resource.k8s.io/v1")
			answer(client, func(*resourceapi.ResourceSlice) {}, nil)
			answerClaim(client, withList, asItWas, rejection)
			_, err := features.Detect(t.Context(), client, features.Known{}, nil)
			g.Expect(err).To(MatchError(rejection))
			g.Expect(err).To(MatchError(HavePrefix("detect whether a ResourceClaim keeps spec.devices.requests[].firstAvailable: ")))
		})
	}
}

func TestDetectAdminAccess(t *testing.T) {
	path := field.NewPath("spec", "devices", "requests").Index(0).Child("adminAccess")
	for name, test := range map[string]struct {
		stored func(*resourceapi.DeviceRequest)
		answer error
		want   features.Presence
	}{
		"rejected": {
			asItWas, invalid(field.Forbidden(path, "admin access to devices requires the label")),
			features.Presence{Present: true, Source: "the API server rejects spec.devices.requests[].exactly.adminAccess of a ResourceClaim in a namespace without the label for it (dry run)"},
		},
		"kept": {asItWas, nil, features.Presence{Present: true, Source: "the API server keeps spec.devices.requests[].exactly.adminAccess of a ResourceClaim (dry run)"}},
		"dropped": {
			func(r *resourceapi.DeviceRequest) { r.Exactly.AdminAccess = nil }, nil,
			features.Presence{Source: "the API server drops spec.devices.requests[].exactly.adminAccess of a ResourceClaim (dry run)"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := cluster("resource.k8s.io/v1")
			answer(client, asItIs, nil)
			requests := answerClaim(client, withAdminAccess, test.stored, test.answer)
			found, err := features.Detect(t.Context(), client, features.Known{}, nil)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(found[features.AdminAccess]).To(Equal(test.want))
			g.Expect(*requests).To(HaveLen(1))
			g.Expect((*requests)[0].CreateOptions.DryRun).To(Equal([]string{metav1.DryRunAll}), "nothing may be stored")
		})
	}
	for name, rejection := range map[string]error{
		"another problem": invalid(field.Required(path, "")),
		"another field":   invalid(field.Forbidden(path.Child("name"), "")),
		"a webhook":       apierrors.NewForbidden(resourceapi.Resource("resourceclaims"), "probe", errors.New("no claims here")),
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := cluster("resource.k8s.io/v1")
			answer(client, asItIs, nil)
			answerClaim(client, withAdminAccess, asItWas, rejection)
			_, err := features.Detect(t.Context(), client, features.Known{}, nil)
			g.Expect(err).To(MatchError(rejection))
			g.Expect(err).To(MatchError(HavePrefix("detect whether a ResourceClaim keeps spec.devices.requests[].exactly.adminAccess: ")))
		})
	}
}

func asItIs(*resourceapi.ResourceSlice)                {}
func withoutCounters(slice *resourceapi.ResourceSlice) { slice.Spec.SharedCounters = nil }
func withEmptyCounters(slice *resourceapi.ResourceSlice) {
	slice.Spec.SharedCounters = []resourceapi.CounterSet{}
}
func withoutSharing(slice *resourceapi.ResourceSlice) {
	for i := range slice.Spec.Devices {
		slice.Spec.Devices[i].AllowMultipleAllocations = nil
	}
}

func TestDetect(t *testing.T) {
	for name, test := range map[string]struct {
		served             []string
		stored             func(*resourceapi.ResourceSlice)
		core, part, shared bool
		why                string
	}{
		"all of it":        {served: []string{"v1", "resource.k8s.io/v1"}, stored: asItIs, core: true, part: true, shared: true, why: "keeps spec.sharedCounters"},
		"without the gate": {served: []string{"resource.k8s.io/v1"}, stored: withoutCounters, core: true, shared: true, why: "drops spec.sharedCounters"},
		"emptied":          {served: []string{"resource.k8s.io/v1"}, stored: withEmptyCounters, core: true, shared: true, why: "drops spec.sharedCounters"},
		"without sharing":  {served: []string{"resource.k8s.io/v1"}, stored: withoutSharing, core: true, part: true, why: "keeps spec.sharedCounters"},
		"without the API":  {served: []string{"v1", "apps/v1"}, stored: asItIs, why: "the API server does not serve resource.k8s.io/v1"},
		"an older API":     {served: []string{"resource.k8s.io/v1beta1"}, stored: asItIs, why: "the API server does not serve resource.k8s.io/v1"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := cluster(test.served...)
			requests := answer(client, test.stored, nil)
			found, err := features.Detect(t.Context(), client, features.Known{}, nil)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(found[features.Core].Present).To(Equal(test.core))
			g.Expect(found[features.Partitions].Present).To(Equal(test.part))
			g.Expect(found[features.Partitions].Source).To(ContainSubstring(test.why))
			g.Expect(found[features.SharedDevices].Present).To(Equal(test.shared))
			g.Expect(found[features.SharedDevices].Source).NotTo(BeEmpty())
			g.Expect(found[features.PrioritizedList].Present).To(Equal(test.core))
			g.Expect(found[features.PrioritizedList].Source).NotTo(BeEmpty())
			if !test.core {
				g.Expect(*requests).To(BeEmpty(), "nothing is created if the API is not served")
				return
			}
			g.Expect(*requests).To(HaveLen(8), "once for each feature")
			for _, create := range *requests {
				g.Expect(create.CreateOptions.DryRun).To(Equal([]string{metav1.DryRunAll}), "nothing may be stored")
			}
		})
	}
}

func TestDetectErrors(t *testing.T) {
	forbidden := errors.New("slices are forbidden")
	t.Run("of discovery", func(t *testing.T) {
		g := NewWithT(t)
		client := cluster("resource.k8s.io/v1")
		client.PrependReactor("get", "group", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, forbidden })
		_, err := features.Detect(t.Context(), client, features.Known{}, nil)
		g.Expect(err).To(MatchError(forbidden))
		g.Expect(err).To(MatchError("get the API groups of the cluster: slices are forbidden"))
	})
	t.Run("of the dry run", func(t *testing.T) {
		g := NewWithT(t)
		client := cluster("resource.k8s.io/v1")
		answer(client, asItIs, forbidden)
		_, err := features.Detect(t.Context(), client, features.Known{}, nil)
		g.Expect(err).To(MatchError(forbidden))
		g.Expect(err).To(MatchError("detect whether a ResourceSlice keeps spec.sharedCounters: slices are forbidden"), "a failed detection does not mean that the feature is absent")
	})
}

func TestMissing(t *testing.T) {
	g := NewWithT(t)
	found := features.Set{features.Core: {Present: true, Source: "seen"}, features.Partitions: {Source: "dropped"}}
	both := []features.Feature{features.Core, features.Partitions}
	g.Expect(found.Missing(nil)).To(BeEmpty())
	g.Expect(found.Missing(both[:1])).To(BeEmpty())
	g.Expect(found.Missing(both)).To(Equal("feature partitionable-devices is absent: dropped"))
	g.Expect(features.Set{}.Missing(both)).To(HavePrefix("feature core is absent: "), "an unknown feature is absent")
}

func TestDetectDeviceTaints(t *testing.T) {
	g := NewWithT(t)
	client := cluster("resource.k8s.io/v1")
	answer(client, asItIs, nil)
	found, err := features.Detect(t.Context(), client, features.Known{}, nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found[features.DeviceTaints]).To(Equal(features.Presence{Present: true, Source: "the API server keeps spec.devices[].taints of a ResourceSlice (dry run)"}))

	client = cluster("resource.k8s.io/v1")
	answer(client, func(slice *resourceapi.ResourceSlice) {
		for i := range slice.Spec.Devices {
			slice.Spec.Devices[i].Taints = nil
		}
	}, nil)
	found, err = features.Detect(t.Context(), client, features.Known{}, nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found[features.DeviceTaints]).To(Equal(features.Presence{Source: "the API server drops spec.devices[].taints of a ResourceSlice (dry run)"}))
}

func TestDetectEarlierVersions(t *testing.T) {
	g := NewWithT(t)
	client := cluster("resource.k8s.io/v1", "resource.k8s.io/v1beta2", "another.k8s.io/v1beta1")
	answer(client, asItIs, nil)
	found, err := features.Detect(t.Context(), client, features.Known{}, nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found[features.V1beta2]).To(Equal(features.Presence{Present: true, Source: "the API server serves resource.k8s.io/v1beta2"}))
	g.Expect(found[features.V1beta1]).To(Equal(features.Presence{Source: "the API server does not serve resource.k8s.io/v1beta1"}))

	found, err = features.Detect(t.Context(), cluster("resource.k8s.io/v1beta1"), features.Known{}, nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found[features.V1beta1]).To(Equal(features.Presence{Source: "the API server does not serve resource.k8s.io/v1"}), "without v1 no spec runs")
}

// Legacy releases have an earlier API, with or without control plane controllers.
func TestExpectedInLegacyReleases(t *testing.T) {
	g := NewWithT(t)
	gates := map[string]bool{"DynamicResourceAllocation": true, "DRAControlPlaneController": false, "ResourceHealthStatus": true}
	found := features.Expected(features.Known{Gates: gates, Server: "v1.31.4"}, nil)
	g.Expect(found.Names()).To(ConsistOf(features.ClassicAPI, features.NodeAllocatableScheduling, features.WorkloadClaimScheduling))
	g.Expect(found[features.Core].Source).To(Equal("Kubernetes 1.31 does not serve resource.k8s.io/v1"))
	gates["DRAControlPlaneController"] = true
	found = features.Expected(features.Known{Gates: gates, Server: "v1.31.4"}, nil)
	g.Expect(found[features.ControlPlaneController].Present).To(BeTrue())
	found = features.Expected(features.Known{Gates: gates, Server: "v1.30.4"}, nil)
	g.Expect(found[features.ClassicAPI].Present).To(BeFalse())
	g.Expect(found[features.ResourceClasses].Present).To(BeTrue())
}

func TestDetectClassicAPI(t *testing.T) {
	g := NewWithT(t)
	client := cluster("resource.k8s.io/v1alpha3")
	client.Resources[0].APIResources = []metav1.APIResource{{Name: "podschedulingcontexts"}}
	known := features.Known{Gates: map[string]bool{"DynamicResourceAllocation": true, "DRAControlPlaneController": false}}
	found, err := features.Detect(t.Context(), client, known, nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found[features.ClassicAPI].Present).To(BeTrue())
	g.Expect(found[features.ControlPlaneController].Present).To(BeFalse())
	client.Resources[0].APIResources = nil
	found, err = features.Detect(t.Context(), client, known, nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found[features.ClassicAPI]).To(Equal(features.Presence{Source: "the API server does not serve PodSchedulingContexts in resource.k8s.io/v1alpha3"}))
}

func TestNames(t *testing.T) {
	g := NewWithT(t)
	found := features.Set{features.Partitions: {Present: true}, features.Core: {Present: true}, "another": {}}
	g.Expect(found.Names()).To(Equal([]features.Feature{features.Core, features.Partitions}))
	g.Expect(features.Set{}.Names()).To(BeEmpty())
}

func TestExpected(t *testing.T) {
	g := NewWithT(t)
	gates := map[string]bool{"DynamicResourceAllocation": true, "DRAPartitionableDevices": false, "DRAConsumableCapacity": true}
	bundled := features.Presence{Present: true, Source: "it is the bundled scheduler"}
	found := features.Expected(features.Known{Gates: gates, SharingAffinity: bundled, Served: []string{"resource.k8s.io/v1beta2"}}, features.Overrides{features.SharedDevices: false})
	g.Expect(found).To(Equal(features.Set{
		features.ControlPlaneController:  {Source: "the release has no feature gate DRAControlPlaneController"},
		features.OptionalNodeOperations:  {Source: "the release has no feature gate DRAOptionalNodeOperations"},
		features.WorkloadClaims:          {Source: "the release has no feature gate DRAWorkloadResourceClaims"},
		features.WorkloadClaimScheduling: {Source: "the bundled scheduler does not support it"},
		features.ClassicAPI:              {Source: "only Kubernetes 1.31 has it"},
		features.ResourceClasses:         {Source: "only Kubernetes 1.30 has it"},
		features.Core:                    {Present: true, Source: "the feature gate DynamicResourceAllocation will be enabled"},
		features.Partitions:              {Source: "the feature gate DRAPartitionableDevices will be disabled"},
		features.DeviceTaints:            {Source: "the release has no feature gate DRADeviceTaints"},
		features.DeviceTaintRules:        {Source: "the release has no feature gate DRADeviceTaintRules"},
		features.AdminAccess:             {Source: "the release has no feature gate DRAAdminAccess"},
		features.ExtendedResources:       {Source: "the release has no feature gate DRAExtendedResource"},
		features.DeviceStatus:            {Source: "the release has no feature gate DRAResourceClaimDeviceStatus"},
		features.BindingConditions:       {Source: "the release has no feature gate DRADeviceBindingConditions"},
		features.StatusAuthorization:     {Source: "the release has no feature gate DRAResourceClaimGranularStatusAuthorization"},
		features.DeviceHealth:            {Source: "the release has no feature gate ResourceHealthStatus"},
		features.V1beta1:                 {Source: "the API server does not serve resource.k8s.io/v1beta1"},
		features.V1beta2:                 {Present: true, Source: "the API server serves resource.k8s.io/v1beta2"},
		features.PrioritizedList:         {Source: "the release has no feature gate DRAPrioritizedList"},
		features.SharedDevices:           {Overridden: true, Source: "declared absent by the caller; the feature gate DRAConsumableCapacity will be enabled"},
		features.SharingAffinity:         bundled,

		features.ListAttributes:      {Source: "the release has no feature gate DRAListTypeAttributes"},
		features.DerivedAttributes:   {Source: "the release has no feature gate DRADerivedAttributes"},
		features.CompatibilityGroups: {Source: "the release has no feature gate DRADeviceCompatibilityGroups"},
		features.NodeAllocatable:     {Source: "the release has no feature gate DRANodeAllocatableResources"},
		features.PoolStatus:          {Source: "the release has no feature gate DRAResourcePoolStatus"},

		features.NodeAllocatableScheduling: {Source: "the bundled scheduler does not support it"},
	}))
}
