package allocator_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/allocator"
	"github.com/draconform/draconform/allocator/internal/problem"
)

// The test cases in testdata/explain begin with a problem. Later commands change it with a partial problem, whose
// lists replace the earlier ones.
//
//	problem            a whole problem
//	change             a partial one
//	explain node=NAME  the explanation as text
//	summary node=NAME max=BYTES
//	json node=NAME
func TestExplanationsTellTheStory(t *testing.T) {
	datadriven.Walk(t, "testdata/explain", func(t *testing.T, path string) {
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

func explained(t *testing.T, p *problem.Problem, name string) *allocator.Explanation {
	t.Helper()
	for _, node := range p.Nodes {
		if node.Name == name {
			x, err := explainOn(p, node)
			NewWithT(t).Expect(err).NotTo(HaveOccurred())
			return x
		}
	}
	t.Fatalf("no node is called %q", name)
	return nil
}

func explainOn(p *problem.Problem, node *corev1.Node) (*allocator.Explanation, error) {
	return allocatorFor(p).Explain(context.Background(), node, p.Claims, allocator.WithHolders(allocator.HoldersOf(p.Allocated)))
}

func allocatorFor(p *problem.Problem) *allocator.Allocator {
	index := allocator.NewIndex(allocator.Config{Features: p.Enabled(), CELCache: p.CELCache(), SharingAffinity: true})
	index.Update(p.Slices)
	return index.AllocatorWithAffinity(p.State(), allocator.NewAffinityState(p.Allocated), p.Lister())
}

func TestSummaryKeepsItsBound(t *testing.T) {
	g := NewWithT(t)
	index := allocator.NewIndex(allocator.Config{})
	index.Update([]*resourceapi.ResourceSlice{slice("a", "n1", "x")})
	claims := claim(gpu(2))
	claims[0].Name = strings.Repeat("ü", 40)
	x, err := index.Allocator(structured.AllocatedState{}, gpus).Explain(context.Background(), node("n1"), claims)
	g.Expect(err).NotTo(HaveOccurred())
	for most := 1; most < 120; most++ {
		line := x.Summary(most)
		g.Expect(len(line)).To(BeNumerically("<=", most))
		g.Expect(strings.ToValidUTF8(line, "?")).To(Equal(line), "cut inside of a character")
		g.Expect(line).NotTo(ContainSubstring("\n"))
	}
}

func TestCancelledContextEndsExplanation(t *testing.T) {
	g := NewWithT(t)
	index := allocator.NewIndex(allocator.Config{})
	index.Update([]*resourceapi.ResourceSlice{slice("a", "n1", "x")})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	x, err := index.Allocator(structured.AllocatedState{}, gpus).Explain(ctx, node("n1"), claim(gpu(2)))
	g.Expect(err).To(MatchError(context.Canceled))
	g.Expect(x).To(BeNil())
}
