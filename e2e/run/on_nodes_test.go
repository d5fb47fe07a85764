// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
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
// shared ones, one with both. Another spec uses all.
func usesOneNode() []suite.Spec {
	of := func(id string, kind subject.Kind, needs ...env.Need) suite.Spec {
		return suite.Spec{ID: id, Kinds: []subject.Kind{kind}, Needs: needs, OneNode: true}
	}
	return []suite.Spec{
		of("plain", subject.KindExclusive), of("driver", subject.KindExclusive, env.NeedsDriverRestart), of("node", subject.KindExclusive, env.NeedsNodes),
		of("shared-node", subject.KindShared, env.NeedsNodes),
		{ID: "both", Kinds: []subject.Kind{subject.KindExclusive, subject.KindShared}, OneNode: true},
		{ID: "everywhere", Kinds: []subject.Kind{subject.KindShared}},
	}
}

// devicesOn returns nodes that are ready, and a slice with a device of each driver for
// each of its nodes.
func devicesOn(byDriver map[string][]string) []runtime.Object {
	var objects []runtime.Object
	known := map[string]bool{}
	for driver, nodes := range byDriver {
		for _, name := range nodes {
			objects = append(objects, &resourceapi.ResourceSlice{
				ObjectMeta: metav1.ObjectMeta{Name: driver + "-" + name},
				Spec:       resourceapi.ResourceSliceSpec{Driver: driver, NodeName: &name, Devices: []resourceapi.Device{{Name: "device"}}},
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

// asks makes a worker with this node ask for specs, in this order, and reports that those
// passed which it is to run.
func asks(node string, ids ...string) string {
	text := fmt.Sprintf(`case "$input" in *'"asks":true,"node":%q,"kindCluster":"c"'*) `, node)
	for _, id := range ids {
		text += fmt.Sprintf(`echo '{"id":%[1]q,"asks":true}'; read -r answer; case "$answer" in *true*) echo '{"id":%[1]q,"outcome":"passed","reason":"on %[2]s"}';; esac; `, id, node)
	}
	return text + `;; esac; `
}

// A spec may restart its node, which no other one uses. The specs of a node whose process
// does not get to them run on another one.
func TestSpecsOfOneNodeRunInParallel(t *testing.T) {
	g := NewWithT(t)
	all := []string{"shared-node", "node", "driver", "plain", "both"}
	others := filepath.Join(t.TempDir(), "others")
	waits := `case "$input" in *'"node":"a"'*) until [ -e ` + others + ` ]; do sleep 0.01; done;; esac; `
	r := workersRunner(&bytes.Buffer{}, script(waits+asks("a", all...)+asks("b", all...)+`touch `+others))
	nodes := []string{"a", "b"}
	r.client = clusterOf(map[string][]string{"gpus.example.com": nodes, "nics.example.org": nodes})
	shares, err := r.divideByNode(t.Context(), restartable{}, twoDrivers, usesOneNode())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(shares).To(HaveLen(2))
	for _, s := range shares {
		g.Expect(ids(s.specs)).To(ConsistOf(all), "each of them could run all")
	}
	got, err := runToTheEnd(t.Context(), r, restartable{}, shares)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got).To(HaveLen(5), "and not the spec that uses all nodes")
	for id, result := range got {
		g.Expect(result.Outcome).To(Equal(suite.Passed), id)
		g.Expect(result.Reason).To(Equal("on b"), id)
	}
	rest := without(usesOneNode(), shares)
	g.Expect(rest).To(HaveLen(1))
	g.Expect(rest[0].ID).To(Equal("everywhere"))
}

// A worker that is interrupted reports all specs that it has not asked for.
func TestResultsOfSpecsThatAnotherWorkerRuns(t *testing.T) {
	g := NewWithT(t)
	r := workersRunner(&bytes.Buffer{}, nil)
	specs := independentSpecs("a", "b")[1:]
	p := &workers{runner: r, specs: specs, results: map[string]suite.Result{}, task: r.Progress.Task("specs")}
	one := share{queue: newQueue([]group{{specs: specs[:1]}, {specs: specs[1:]}}), process: 2}
	other := one
	other.process = 3
	var answers bytes.Buffer
	g.Expect(p.handle(one, workerResult{ID: "a", Asks: true}, json.NewEncoder(&answers))).To(BeTrue(), "its result follows")
	g.Expect(p.handle(other, workerResult{ID: "a", Asks: true}, json.NewEncoder(&answers))).To(BeFalse(), "it has no result")
	g.Expect(answers.String()).To(Equal("{\"run\":true}\n{\"run\":false}\n"))
	g.Expect(p.handle(one, workerResult{ID: "a", Begins: true}, nil)).To(BeTrue())
	g.Expect(p.handle(one, workerResult{ID: "a", Outcome: suite.Passed}, nil)).To(BeFalse())
	g.Expect(p.handle(other, workerResult{ID: "a", Outcome: suite.Skipped}, nil)).To(BeFalse())
	g.Expect(p.handle(other, workerResult{ID: "b", Outcome: suite.Skipped}, nil)).To(BeFalse())
	g.Expect(p.results["a"].Outcome).To(Equal(suite.Passed))
	g.Expect(p.results["b"].Outcome).To(Equal(suite.Skipped))
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

func TestSharesOfNodes(t *testing.T) {
	const gpus, nics = "gpus.example.com", "nics.example.org"
	gpu := func(id string, needs ...env.Need) suite.Spec {
		return suite.Spec{ID: id, Kinds: []subject.Kind{subject.KindExclusive}, Needs: needs}
	}
	nic := func(id string) suite.Spec { return suite.Spec{ID: id, Kinds: []subject.Kind{subject.KindShared}} }
	both := suite.Spec{ID: "both", Kinds: []subject.Kind{subject.KindExclusive, subject.KindShared}}
	everywhere := map[string][]string{gpus: {"1", "2"}, nics: {"1", "2"}}
	for name, test := range map[string]struct {
		specs []suite.Spec
		on    map[string][]string
		want  map[string][]string
	}{
		"each node could run all, the longest first": {
			specs: []suite.Spec{gpu("a"), gpu("node", env.NeedsNodes), nic("b")}, on: everywhere,
			want: map[string][]string{"1": {"node", "a", "b"}, "2": {"node", "a", "b"}},
		},
		"nodes with devices of all drivers of the spec": {
			specs: []suite.Spec{gpu("a"), both, nic("b"), nic("c")},
			on:    map[string][]string{gpus: {"1", "2"}, nics: {"2", "3"}},
			want:  map[string][]string{"1": {"a"}, "2": {"a", "both", "b", "c"}, "3": {"b", "c"}},
		},
		"no process that would have nothing to do": {
			specs: []suite.Spec{gpu("a"), gpu("b")}, on: map[string][]string{gpus: {"1", "2", "3"}},
			want: map[string][]string{"1": {"a", "b"}, "2": {"a", "b"}},
		},
		"a driver without devices": {specs: []suite.Spec{gpu("a"), both}, on: map[string][]string{nics: {"1"}}, want: map[string][]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			got := map[string][]string{}
			for _, s := range shareOut(order{}.groupsOf(twoDrivers, test.specs, test.on)) {
				got[s.node] = ids(s.specs)
			}
			NewWithT(t).Expect(got).To(Equal(test.want))
		})
	}
}

// A worker that finds out after a while that a driver lacks a capability knows that for
// the other specs that need it. Other capabilities are found out at once.
func TestSpecsThatWaitForTheSameCapabilityRunTogether(t *testing.T) {
	g := NewWithT(t)
	needs := func(id string, kind subject.Kind, capabilities ...subject.Capability) suite.Spec {
		return suite.Spec{ID: id, Kinds: []subject.Kind{kind}, Capabilities: capabilities}
	}
	groups := order{}.groupsOf(twoDrivers, []suite.Spec{
		needs("calls", subject.KindExclusive, subject.NodeOperations), needs("status", subject.KindExclusive, subject.DeviceStatus),
		needs("status-of-other", subject.KindShared, subject.DeviceStatus), needs("health", subject.KindExclusive, subject.Health),
		needs("status-of-call", subject.KindExclusive, subject.NodeOperations, subject.DeviceStatus), needs("more-calls", subject.KindExclusive, subject.NodeOperations),
	}, map[string][]string{"gpus.example.com": {"1", "2"}, "nics.example.org": {"1", "2"}})
	var got [][]string
	for _, group := range groups {
		got = append(got, ids(group.specs))
	}
	g.Expect(got).To(Equal([][]string{{"status", "status-of-call"}, {"status-of-other"}, {"health"}, {"calls"}, {"more-calls"}}))
	q := newQueue(groups)
	g.Expect(q.take(2, "status-of-call")).To(BeTrue())
	g.Expect(q.take(3, "status")).To(BeFalse(), "it runs in the other process")
	g.Expect(q.take(2, "status")).To(BeTrue())
	g.Expect(q.take(3, "health")).To(BeTrue())
	g.Expect(q.take(2, "health")).To(BeFalse())
}
