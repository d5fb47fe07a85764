// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// restartable is a kind cluster whose nodes can be restarted.
type restartable struct{ fakeCluster }

func (restartable) kindName() string { return "c" }

// twoDrivers are the drivers of exclusive and of shared devices.
var twoDrivers = subject.Fakes{MIG: "gpus.example.com", NIC: "nics.example.org"}.Subject()

// usesOneNode returns specs that use one node: three with exclusive devices, one with
// shared ones. Another spec uses all.
func usesOneNode() []suite.Spec {
	of := func(id string, kind subject.Kind, needs ...env.Need) suite.Spec {
		return suite.Spec{ID: id, Kinds: []subject.Kind{kind}, Needs: needs, OneNode: true}
	}
	return []suite.Spec{
		of("plain", subject.KindExclusive), of("driver", subject.KindExclusive, env.NeedsDriverRestart), of("node", subject.KindExclusive, env.NeedsNodes),
		of("shared-node", subject.KindShared, env.NeedsNodes),
		{ID: "everywhere", Kinds: []subject.Kind{subject.KindShared}},
	}
}

// devicesOn returns nodes that are ready, and a slice of each driver for each of its
// nodes.
func devicesOn(byDriver map[string][]string) []runtime.Object {
	var objects []runtime.Object
	known := map[string]bool{}
	for driver, nodes := range byDriver {
		for _, name := range nodes {
			objects = append(objects, &resourceapi.ResourceSlice{
				ObjectMeta: metav1.ObjectMeta{Name: driver + "-" + name}, Spec: resourceapi.ResourceSliceSpec{Driver: driver, NodeName: &name},
			})
			if !known[name] {
				objects = append(objects, &corev1.Node{
					ObjectMeta: metav1.ObjectMeta{Name: name},
					Status:     corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}},
				})
				known[name] = true
			}
		}
	}
	return objects
}

// clusterOf returns the client of a cluster that, unlike that of a plain fake, selects
// slices by their driver.
func clusterOf(byDriver map[string][]string) *fake.Clientset {
	client := fake.NewClientset(devicesOn(byDriver)...)
	client.PrependReactor("list", "resourceslices", func(action clienttesting.Action) (bool, runtime.Object, error) {
		all, err := client.Tracker().List(resourceapi.SchemeGroupVersion.WithResource("resourceslices"), resourceapi.SchemeGroupVersion.WithKind("ResourceSlice"), "")
		if err != nil {
			return true, nil, err
		}
		list := all.(*resourceapi.ResourceSliceList)
		selector := action.(clienttesting.ListAction).GetListRestrictions().Fields
		list.Items = slices.DeleteFunc(list.Items, func(s resourceapi.ResourceSlice) bool {
			return !selector.Matches(fields.Set{resourceapi.ResourceSliceSelectorDriver: s.Spec.Driver})
		})
		return true, list, nil
	})
	return client
}

// on reports that specs passed, if the worker gets a node.
func on(node string, ids ...string) string {
	text := fmt.Sprintf(`case "$input" in *'"node":%q,"kindCluster":"c"'*) `, node)
	for _, id := range ids {
		text += passes(id)
	}
	return text + `;; esac; `
}

// A spec may restart its node, which no other one uses.
func TestSpecsOfOneNodeRunInParallel(t *testing.T) {
	g := NewWithT(t)
	r := workersRunner(&bytes.Buffer{}, script(on("a", "node")+on("b", "shared-node")+on("c", "plain", "driver")))
	nodes := []string{"a", "b", "c"}
	r.client = clusterOf(map[string][]string{"gpus.example.com": nodes, "nics.example.org": nodes})
	shares, err := r.divideByNode(t.Context(), restartable{}, twoDrivers, usesOneNode())
	g.Expect(err).NotTo(HaveOccurred())
	got, err := r.runShares(t.Context(), restartable{}, shares)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got).To(HaveLen(4), "and not the spec that uses all nodes")
	for id, result := range got {
		g.Expect(result.Outcome).To(Equal(suite.Passed), id)
	}
	g.Expect(shares).To(HaveLen(3))
	rest := without(usesOneNode(), shares)
	g.Expect(rest).To(HaveLen(1))
	g.Expect(rest[0].ID).To(Equal("everywhere"))
}

func TestSpecsOfOneNodeThatRunWithTheOthers(t *testing.T) {
	both := map[string][]string{"gpus.example.com": {"a", "b"}, "nics.example.org": {"a", "b"}}
	for name, test := range map[string]struct {
		cluster  cluster
		devices  map[string][]string
		parallel int
		specs    []suite.Spec
	}{
		"nodes that the run must not restart": {fakeCluster{}, both, 2, usesOneNode()},
		"one node":                            {restartable{}, map[string][]string{"gpus.example.com": {"a"}, "nics.example.org": {"a"}}, 2, usesOneNode()},
		"a run of one process":                {restartable{}, both, 1, usesOneNode()},
		"one spec":                            {restartable{}, both, 2, usesOneNode()[:1]},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			r := workersRunner(&bytes.Buffer{}, script(""))
			r.client, r.Parallel = clusterOf(test.devices), test.parallel
			shares, err := r.divideByNode(t.Context(), test.cluster, twoDrivers, test.specs)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(shares).To(BeEmpty())
			g.Expect(without(test.specs, shares)).To(HaveLen(len(test.specs)))
		})
	}
}

func TestShareOut(t *testing.T) {
	const gpus, nics = "gpus.example.com", "nics.example.org"
	plain := func(id string) suite.Spec { return suite.Spec{ID: id} }
	long := suite.Spec{ID: "node", Needs: []env.Need{env.NeedsNodes}}
	needs := func(id string, capability subject.Capability) suite.Spec {
		return suite.Spec{ID: id, Capabilities: []subject.Capability{capability}}
	}
	for name, test := range map[string]struct {
		specs map[string][]suite.Spec
		on    map[string][]string
		want  map[string][]string
	}{
		"a node gets specs of several drivers, the longest first": {
			specs: map[string][]suite.Spec{gpus: {plain("a"), long}, nics: {plain("b"), plain("c")}},
			on:    map[string][]string{gpus: {"1", "2"}, nics: {"1", "2"}},
			want:  map[string][]string{"1": {"node"}, "2": {"a", "b", "c"}},
		},
		"nodes with devices of the driver": {
			specs: map[string][]suite.Spec{gpus: {plain("a"), plain("b")}, nics: {plain("c")}},
			on:    map[string][]string{gpus: {"1"}, nics: {"1", "2"}},
			want:  map[string][]string{"1": {"a", "b"}, "2": {"c"}},
		},
		"only the first of a process finds out that a driver lacks a capability": {
			specs: map[string][]suite.Spec{gpus: {
				needs("status", subject.DeviceStatus), needs("health", subject.Health), plain("a"), needs("status-again", subject.DeviceStatus),
			}},
			on:   map[string][]string{gpus: {"1", "2"}},
			want: map[string][]string{"1": {"status", "status-again"}, "2": {"health", "a"}},
		},
		"no share without specs": {
			specs: map[string][]suite.Spec{gpus: {plain("a")}},
			on:    map[string][]string{gpus: {"1", "2", "3"}},
			want:  map[string][]string{"1": {"a"}},
		},
		"a driver without devices": {specs: map[string][]suite.Spec{gpus: {plain("a")}}, want: map[string][]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			got := map[string][]string{}
			for _, s := range shareOut(test.specs, test.on) {
				for _, spec := range s.specs {
					got[s.node] = append(got[s.node], spec.ID)
				}
			}
			NewWithT(t).Expect(got).To(Equal(test.want))
		})
	}
}
