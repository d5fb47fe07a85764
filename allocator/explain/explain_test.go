// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package explain_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/allocator"
	"github.com/draconform/draconform/allocator/explain"
	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

// The test cases in testdata begin with a problem. Later commands change it with a partial problem, whose
// lists replace the earlier ones.
//
//	problem            a whole problem
//	change             a partial one
//	explain node=NAME  the explanation as text
//	summary node=NAME max=BYTES
//	json node=NAME
func TestExplanations(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		p := &problem.Problem{}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			g := NewWithT(t)
			if d.Cmd == "problem" || d.Cmd == "change" {
				if d.Cmd == "problem" {
					p = &problem.Problem{}
				}
				change := &problem.Problem{}
				g.Expect(yaml.UnmarshalStrict([]byte(d.Input), change)).To(Succeed(), d.Pos)
				apply(p, change)
				return ""
			}
			var node string
			d.ScanArgs(t, "node", &node)
			x := explained(t, p, node)
			switch d.Cmd {
			case "explain":
				return x.String()
			case "summary":
				most := 0
				d.MaybeScanArgs(t, "max", &most)
				return x.Summary(most)
			case "json":
				data, err := json.MarshalIndent(x, "", " ")
				g.Expect(err).NotTo(HaveOccurred())
				return string(data)
			}
			d.Fatalf(t, "unknown command")
			return ""
		})
	})
}

func apply(to, change *problem.Problem) {
	if change.Features != nil {
		to.Features = change.Features
	}
	if change.Nodes != nil {
		to.Nodes = change.Nodes
	}
	if change.Classes != nil {
		to.Classes = change.Classes
	}
	if change.Slices != nil {
		to.Slices = change.Slices
	}
	if change.Allocated != nil {
		to.Allocated = change.Allocated
	}
	if change.Claims != nil {
		to.Claims = change.Claims
		for _, claim := range change.Claims {
			for i := range claim.Spec.Devices.Requests {
				setDefaults(&claim.Spec.Devices.Requests[i])
			}
		}
	}
}

// setDefaults sets the defaults of the API server.
func setDefaults(request *resourceapi.DeviceRequest) {
	one := func(mode *resourceapi.DeviceAllocationMode, count *int64) {
		if *mode == "" {
			*mode = resourceapi.DeviceAllocationModeExactCount
		}
		if *count == 0 && *mode == resourceapi.DeviceAllocationModeExactCount {
			*count = 1
		}
	}
	if request.Exactly != nil {
		one(&request.Exactly.AllocationMode, &request.Exactly.Count)
	}
	for i := range request.FirstAvailable {
		one(&request.FirstAvailable[i].AllocationMode, &request.FirstAvailable[i].Count)
	}
}

func explained(t *testing.T, p *problem.Problem, name string) *explain.Explanation {
	t.Helper()
	for _, node := range p.Nodes {
		if node.Name == name {
			x, err := explainOn(p, node)
			NewWithT(t).Expect(err).NotTo(HaveOccurred())
			return x
		}
	}
	t.Fatalf("node %q does not exist", name)
	return nil
}

func explainOn(p *problem.Problem, node *corev1.Node) (*explain.Explanation, error) {
	return allocatorFor(p).Explain(context.Background(), node, p.Claims, explain.HoldersOf(p.Allocated))
}

func allocatorFor(p *problem.Problem) *allocator.Allocator {
	index := allocator.NewIndex(allocator.Config{Features: p.Enabled(), CELCache: p.CELCache(), SharingAffinity: true})
	index.Update(p.Slices)
	return index.AllocatorWithAffinity(p.State(), allocator.NewAffinityState(p.Allocated), p.Lister())
}

// twoOfOne requests two devices on a node that has one.
func twoOfOne(claimName string) *problem.Problem {
	slice := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "slice"}, Spec: resourceapi.ResourceSliceSpec{
		Driver: "gpu.example.com", NodeName: ptr.To("n1"), Pool: resourceapi.ResourcePool{Name: "pool", ResourceSliceCount: 1},
		Devices: []resourceapi.Device{{Name: "x"}},
	}}
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: claimName}}
	claim.Spec.Devices.Requests = []resourceapi.DeviceRequest{{Name: "r", Exactly: &resourceapi.ExactDeviceRequest{
		DeviceClassName: "gpu", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 2,
	}}}
	return &problem.Problem{
		Nodes:   []*corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}},
		Classes: []*resourceapi.DeviceClass{{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}}},
		Slices:  []*resourceapi.ResourceSlice{slice},
		Claims:  []*resourceapi.ResourceClaim{claim},
	}
}

func TestSummaryIsNotLongerThanRequested(t *testing.T) {
	g := NewWithT(t)
	x := explained(t, twoOfOne(strings.Repeat("ü", 40)), "n1")
	for most := 1; most < 120; most++ {
		line := x.Summary(most)
		g.Expect(len(line)).To(BeNumerically("<=", most))
		g.Expect(strings.ToValidUTF8(line, "?")).To(Equal(line), "cut inside of a character")
		g.Expect(line).NotTo(ContainSubstring("\n"))
	}
}

func TestCancelledContextEndsExplanation(t *testing.T) {
	g := NewWithT(t)
	p := twoOfOne("claim")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	x, err := allocatorFor(p).Explain(ctx, p.Nodes[0], p.Claims, nil)
	g.Expect(err).To(MatchError(context.Canceled))
	g.Expect(x).To(BeNil())
}
