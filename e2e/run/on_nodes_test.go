// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
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

// restarting returns specs that restart a node: two for exclusive devices, one for
// shared ones.
func restarting() []suite.Spec {
	of := func(id string, kind subject.Kind) suite.Spec {
		return suite.Spec{ID: id, Kinds: []subject.Kind{kind}, Needs: []env.Need{env.NeedsNodes}}
	}
	return []suite.Spec{
		of("kubelet", subject.KindExclusive), of("node", subject.KindExclusive), of("shared-node", subject.KindShared),
		{ID: "elsewhere", Kinds: []subject.Kind{subject.KindShared}},
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

// Each driver's specs restart a node that the other's do not use.
func TestSpecsThatRestartNodesOfDifferentDriversRunInParallel(t *testing.T) {
	g := NewWithT(t)
	r := workersRunner(&bytes.Buffer{}, script(on("a", "kubelet", "node")+on("b", "shared-node")))
	r.client = clusterOf(map[string][]string{"gpus.example.com": {"a", "b"}, "nics.example.org": {"a", "b"}})
	got, err := r.runOnNodes(t.Context(), restartable{}, twoDrivers, restarting())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got).To(HaveLen(3), "a spec that restarts no node is not among them")
	for id, result := range got {
		g.Expect(result.Outcome).To(Equal(suite.Passed), id)
	}
	g.Expect(r.processes).To(Equal(2))
}

func TestSpecsThatRestartNodesRunAlone(t *testing.T) {
	both := map[string][]string{"gpus.example.com": {"a", "b"}, "nics.example.org": {"a", "b"}}
	one := map[string][]string{"gpus.example.com": {"a"}, "nics.example.org": {"a"}}
	for name, test := range map[string]struct {
		cluster  cluster
		devices  map[string][]string
		parallel int
		specs    []suite.Spec
	}{
		"nodes that the run must not restart": {fakeCluster{}, both, 2, restarting()},
		"one node for both drivers":           {restartable{}, one, 2, restarting()},
		"a run of one process":                {restartable{}, both, 1, restarting()},
		"one driver":                          {restartable{}, both, 2, restarting()[:2]},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			r := workersRunner(&bytes.Buffer{}, func(context.Context) *exec.Cmd { t.Error("started a process"); return nil })
			r.client, r.Parallel = clusterOf(test.devices), test.parallel
			got, err := r.runOnNodes(t.Context(), test.cluster, twoDrivers, test.specs)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(got).To(BeEmpty())
		})
	}
}

// A driver that has devices on one node only gets that node.
func TestNodeOfEachDriver(t *testing.T) {
	g := NewWithT(t)
	r := workersRunner(&bytes.Buffer{}, nil)
	r.client = clusterOf(map[string][]string{"gpus.example.com": {"a"}, "nics.example.org": {"a", "b"}})
	g.Expect(r.nodeOfEach(t.Context(), twoDrivers, []string{"gpus.example.com", "nics.example.org"})).To(Equal(
		map[string]string{"gpus.example.com": "a", "nics.example.org": "b"}))
	g.Expect(r.nodeOfEach(t.Context(), twoDrivers, []string{"nics.example.org", "gpus.example.com"})).To(Equal(
		map[string]string{"gpus.example.com": "a", "nics.example.org": "b"}), "whichever comes first")
}
