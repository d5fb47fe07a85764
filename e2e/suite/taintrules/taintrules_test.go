// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package taintrules_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite/taintrules"
)

// serving returns the client of a cluster that serves rules in these versions.
func serving(versions ...string) *fake.Clientset {
	client := fake.NewClientset()
	for _, version := range versions {
		client.Resources = append(client.Resources, &metav1.APIResourceList{GroupVersion: "resource.k8s.io/" + version, APIResources: []metav1.APIResource{{Name: "devicetaintrules"}}})
	}
	return client
}

var rule = &resourceapi.DeviceTaintRule{
	ObjectMeta: metav1.ObjectMeta{Name: "worn", Labels: map[string]string{"run": "one"}},
	Spec: resourceapi.DeviceTaintRuleSpec{
		DeviceSelector: &resourceapi.DeviceTaintSelector{Driver: ptr.To("gpu.example.com"), Pool: ptr.To("node"), Device: ptr.To("gpu-0")},
		Taint:          resourceapi.DeviceTaint{Key: "worn", Value: "badly", Effect: resourceapi.DeviceTaintEffectNoExecute},
	},
}

func TestRulesInTheServedVersion(t *testing.T) {
	for _, version := range []string{"v1", "v1beta2", "v1alpha3"} {
		t.Run(version, func(t *testing.T) {
			g := NewWithT(t)
			client := serving(version)
			g.Expect(taintrules.Create(t.Context(), client, rule)).To(Succeed())
			for _, action := range client.Actions() {
				if action.GetResource().Resource == "devicetaintrules" {
					g.Expect(action.GetResource().Version).To(Equal(version))
				}
			}
			found, err := taintrules.List(t.Context(), client, metav1.ListOptions{LabelSelector: "run=one"})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(found.Items).To(HaveLen(1))
			g.Expect(found.Items[0].Name).To(Equal("worn"))
			g.Expect(found.Items[0].Spec).To(Equal(rule.Spec), "no field is lost in the conversion")
			g.Expect(taintrules.Update(t.Context(), client, "worn", func(spec *resourceapi.DeviceTaintRuleSpec) { spec.Taint.Value = "less" })).To(Succeed())
			found, err = taintrules.List(t.Context(), client, metav1.ListOptions{})
			g.Expect(err).NotTo(HaveOccurred())
			changed := rule.Spec
			changed.Taint.Value = "less"
			g.Expect(found.Items).To(HaveLen(1))
			g.Expect(found.Items[0].Spec).To(Equal(changed), "an update changes nothing else")
			g.Expect(found.Items[0].Labels).To(Equal(rule.Labels))
			got, err := taintrules.Get(t.Context(), client, "worn")
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(got).To(Equal(&found.Items[0]))
			g.Expect(taintrules.Delete(t.Context(), client, "worn", metav1.DeleteOptions{})).To(Succeed())
			found, err = taintrules.List(t.Context(), client, metav1.ListOptions{})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(found.Items).To(BeEmpty())
		})
	}
}

// A lister asks once for the served version, and again after an upgrade that ends it.
func TestListerFollowsTheServedVersion(t *testing.T) {
	g := NewWithT(t)
	client := serving("v1alpha3")
	list := taintrules.Lister(client, metav1.ListOptions{})
	listed := func() (versions []string) {
		client.ClearActions()
		_, err := list(t.Context())
		g.Expect(err).NotTo(HaveOccurred())
		for _, action := range client.Actions() {
			versions = append(versions, action.GetResource().Resource+" "+action.GetResource().Version)
		}
		return versions
	}
	g.Expect(listed()).To(ContainElement("devicetaintrules v1alpha3"))
	g.Expect(listed()).To(Equal([]string{"devicetaintrules v1alpha3"}))
	client.Resources = serving("v1").Resources
	client.PrependReactor("list", "devicetaintrules", func(action clienttesting.Action) (bool, runtime.Object, error) {
		return action.GetResource().Version == "v1alpha3", nil, apierrors.NewNotFound(action.GetResource().GroupResource(), "")
	})
	g.Expect(listed()).To(ContainElement("devicetaintrules v1"))
}

func TestRulesThatAreNotServed(t *testing.T) {
	g := NewWithT(t)
	client := serving()
	found, err := taintrules.List(t.Context(), client, metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found.Items).To(BeEmpty())
	g.Expect(taintrules.Create(t.Context(), client, rule)).To(MatchError("create device taint rule worn: the API server serves DeviceTaintRules in no version"))
	g.Expect(taintrules.Update(t.Context(), client, "worn", func(*resourceapi.DeviceTaintRuleSpec) {})).To(MatchError("update device taint rule worn: the API server serves DeviceTaintRules in no version"))
	g.Expect(taintrules.Delete(t.Context(), client, "worn", metav1.DeleteOptions{})).To(MatchError("delete device taint rule worn: the API server serves DeviceTaintRules in no version"))
	_, err = taintrules.Get(t.Context(), client, "worn")
	g.Expect(err).To(MatchError("get device taint rule worn: the API server serves DeviceTaintRules in no version"))
}
