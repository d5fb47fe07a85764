// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package features_test

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/e2e/features"
)

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
			g.Expect(*requests).To(HaveLen(10), "once for each feature")
			for _, create := range *requests {
				g.Expect(create.CreateOptions.DryRun).To(Equal([]string{metav1.DryRunAll}), "nothing may be stored")
			}
		})
	}
}

func withoutCounters(slice *resourceapi.ResourceSlice) { slice.Spec.SharedCounters = nil }
func withEmptyCounters(slice *resourceapi.ResourceSlice) {
	slice.Spec.SharedCounters = []resourceapi.CounterSet{}
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
