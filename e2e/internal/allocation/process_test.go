// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package allocation_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator"
	"github.com/draconform/draconform/e2e/internal/allocation"
)

// actEnv makes this test's program act as the program of an allocator.
const actEnv = "DRACONFORM_TEST_ALLOCATOR_ACT"

func TestMain(m *testing.M) {
	switch os.Getenv(actEnv) {
	case "":
		os.Exit(m.Run())
	case "serves":
		if err := allocation.Serve(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case "exits":
		os.Exit(3)
	case "says nothing":
	case "talks":
		answer("hello")
	case "answers nothing":
		answer("{}")
	case "answers without allocations":
		answer(`{"Number":1}` + "\n" + `{"Number":2,"Fits":true}`)
	}
}

// answer writes lines, and reads all requests, as long as there may be some. Otherwise requests
// could not be sent.
func answer(lines string) {
	fmt.Println(lines)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// start starts this test's program as an allocator.
func start(t *testing.T, act string) allocation.Index {
	t.Helper()
	t.Setenv(actEnv, act)
	program, err := os.Executable()
	g := NewWithT(t)
	g.Expect(err).NotTo(HaveOccurred())
	index, err := allocation.Start(program, config)
	g.Expect(err).NotTo(HaveOccurred())
	return index
}

var (
	config = allocator.Config{Features: structured.Features{AdminAccess: true, PrioritizedList: true}}
	node   = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1"}}
	other  = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-2"}}
	class  = &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}}
)

// slice returns a ResourceSlice of node-1 that is a whole pool.
func slice(pool string, devices ...string) *resourceapi.ResourceSlice {
	s := &resourceapi.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: pool},
		Spec: resourceapi.ResourceSliceSpec{
			Driver: "gpu.example.com", Pool: resourceapi.ResourcePool{Name: pool, ResourceSliceCount: 1}, NodeName: &node.Name,
		},
	}
	for _, name := range devices {
		s.Spec.Devices = append(s.Spec.Devices, resourceapi.Device{Name: name})
	}
	return s
}

// claim returns a claim for a device of a class.
func claim(class string) *resourceapi.ResourceClaim {
	exactly := &resourceapi.ExactDeviceRequest{DeviceClassName: class, AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 1}
	return &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "claim"},
		Spec:       resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{Requests: []resourceapi.DeviceRequest{{Name: "one", Exactly: exactly}}}},
	}
}

// allocated returns a claim that has a device.
func allocated(pool, device string) *resourceapi.ResourceClaim {
	c := claim(class.Name)
	c.Status.Allocation = &resourceapi.AllocationResult{}
	c.Status.Allocation.Devices.Results = []resourceapi.DeviceRequestAllocationResult{{Request: "one", Driver: "gpu.example.com", Pool: pool, Device: device}}
	return c
}

// ask asks an index about claims in a state, and returns all that it says, as text.
func ask(t *testing.T, index allocation.Index, s allocation.State, node *corev1.Node, claims ...*resourceapi.ResourceClaim) string {
	t.Helper()
	g := NewWithT(t)
	a, err := index.For(s)
	g.Expect(err).NotTo(HaveOccurred())
	fits, fitsErr := a.Fits(node, claims)
	results, err := a.Allocate(node, claims)
	g.Expect(fmt.Sprint(fitsErr)).To(Equal(fmt.Sprint(err)), "the errors of Fits and Allocate")
	g.Expect(fits).To(Equal(results != nil), "Fits and Allocate")
	text := fmt.Sprint(fits)
	for _, result := range results {
		for _, device := range result.Devices.Results {
			text += " " + device.Pool + "/" + device.Device
		}
	}
	if err != nil {
		noFit, ok := errors.AsType[*allocation.NoFit](err)
		g.Expect(ok).To(BeTrue(), "the error is about the claims: %v", err)
		text += fmt.Sprintf(" on node: %v: %s", noFit.OnNode, noFit.Reason)
	}
	return text
}

func TestProcessAnswersLikeTheBundledAllocator(t *testing.T) {
	a, b := slice("pool-a", "gpu-1", "gpu-2"), slice("pool-b", "gpu-1")
	invalid := slice("pool-a", "gpu-1", "gpu-1")
	classes := []*resourceapi.DeviceClass{class}
	one := claim(class.Name)
	// Each question follows the last one.
	questions := []struct {
		state  allocation.State
		node   *corev1.Node
		claims []*resourceapi.ResourceClaim
		want   string
	}{
		{allocation.State{Slices: []*resourceapi.ResourceSlice{a, b}, Classes: classes}, node, []*resourceapi.ResourceClaim{one}, "true pool-a/gpu-1"},
		{allocation.State{Slices: []*resourceapi.ResourceSlice{a, b}, Classes: classes, Claims: []*resourceapi.ResourceClaim{allocated("pool-a", "gpu-1")}}, node, []*resourceapi.ResourceClaim{one}, "true pool-a/gpu-2"},
		{allocation.State{Slices: []*resourceapi.ResourceSlice{b}, Classes: classes}, node, []*resourceapi.ResourceClaim{one}, "true pool-b/gpu-1"},
		{allocation.State{Slices: []*resourceapi.ResourceSlice{b, a}, Classes: classes}, node, []*resourceapi.ResourceClaim{one, claim(class.Name)}, "true pool-a/gpu-1 pool-a/gpu-2"},
		{allocation.State{Slices: []*resourceapi.ResourceSlice{b, a}, Classes: classes}, other, []*resourceapi.ResourceClaim{one}, "false"},
		{allocation.State{Slices: []*resourceapi.ResourceSlice{b, a}, Classes: classes}, node, nil, "true"},
		{allocation.State{Slices: []*resourceapi.ResourceSlice{invalid}, Classes: classes}, node, []*resourceapi.ResourceClaim{one}, "false on node: true: invalid resource pools were encountered"},
		{allocation.State{Slices: []*resourceapi.ResourceSlice{a}}, node, []*resourceapi.ResourceClaim{one}, `false on node: false: claim claim, request one: could not retrieve device class gpu: deviceclasses.resource.k8s.io "gpu" not found`},
	}
	process := start(t, "serves")
	local, err := allocation.Bundled(config)
	g := NewWithT(t)
	g.Expect(err).NotTo(HaveOccurred())
	for i, q := range questions {
		g.Expect(ask(t, local, q.state, q.node, q.claims...)).To(Equal(q.want), "question %d to the bundled allocator", i)
		g.Expect(ask(t, process, q.state, q.node, q.claims...)).To(Equal(q.want), "question %d to the process", i)
	}
}

// Claims are sent once as long as they are the same.
func TestProcessGetsTheClaimsOfEachQuestion(t *testing.T) {
	g := NewWithT(t)
	s := allocation.State{Slices: []*resourceapi.ResourceSlice{slice("pool", "gpu-1")}, Classes: []*resourceapi.DeviceClass{class}}
	a, err := start(t, "serves").For(s)
	g.Expect(err).NotTo(HaveOccurred())
	one, two := claim(class.Name), claim(class.Name)
	for i, q := range []struct {
		claims []*resourceapi.ResourceClaim
		want   bool
	}{{[]*resourceapi.ResourceClaim{one}, true}, {[]*resourceapi.ResourceClaim{one, two}, false}, {nil, true}, {[]*resourceapi.ResourceClaim{two, one}, false}, {[]*resourceapi.ResourceClaim{two}, true}} {
		fits, err := a.Fits(node, q.claims)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(fits).To(Equal(q.want), "question %d", i)
		results, err := a.Allocate(node, q.claims)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(results != nil).To(Equal(q.want), "question %d", i)
		if q.want {
			g.Expect(results).To(HaveLen(len(q.claims)))
		}
	}
}

// A failure must not look as if claims did not fit.
func TestFailureOfTheProcessIsAnError(t *testing.T) {
	for act, want := range map[string]string{
		"exits":                       "(send request|read the allocator's answer to request) 1.*: exit status 3",
		"says nothing":                "(send request|read the allocator's answer to request) 1",
		"talks":                       "read the allocator's answer to request 1: invalid character 'h'",
		"answers nothing":             "the allocator answered request 0 instead of 1",
		"answers without allocations": "the allocator returned 0 allocations for 1 claims",
	} {
		t.Run(act, func(t *testing.T) {
			g := NewWithT(t)
			index := start(t, act)
			a, err := index.For(allocation.State{})
			var results []resourceapi.AllocationResult
			if err == nil {
				results, err = a.Allocate(node, []*resourceapi.ResourceClaim{claim(class.Name)})
			}
			g.Expect(results).To(BeNil())
			g.Expect(err).To(MatchError(MatchRegexp(want)))
			g.Expect(err).NotTo(BeAssignableToTypeOf(ptr.To(allocation.NoFit{})))
			_, again := index.For(allocation.State{})
			g.Expect(again).To(MatchError(err), "nothing is asked after a failure")
		})
	}
}

func TestProgramThatCannotStartIsAnError(t *testing.T) {
	_, err := allocation.Start("/does/not/exist", config)
	NewWithT(t).Expect(err).To(MatchError(MatchRegexp("^start the allocator: .*no such file")))
}
