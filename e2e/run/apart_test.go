// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// oneOfTwo is a cluster that can have another one next to it.
type oneOfTwo struct{ fakeCluster }

func (oneOfTwo) another(context.Context) (*controlPlaneParts, error) {
	return &controlPlaneParts{Programs: "/programs", Scheduler: "/scheduler"}, nil
}

// withAlone returns two specs that can run in parallel and some that cannot.
func withAlone(alone ...string) []suite.Spec {
	specs := independentSpecs("a", "b")[1:]
	for _, id := range alone {
		specs = append(specs, suite.Spec{ID: id, Needs: []env.Need{env.NeedsSimulatedNodes}, Alone: true})
	}
	return specs
}

func ids(specs []suite.Spec) []string {
	var all []string
	for _, s := range specs {
		all = append(all, s.ID)
	}
	return all
}

// The process of the run has nothing left to run, and the specs run one after the
// other, in a process that starts first. It runs specs with simulated nodes afterwards.
func TestSpecsThatRunAloneHaveAControlPlaneOfTheirOwn(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	apart := `case "$input" in *'"process":2'*'"specs":["w","x","y","z","a","b"]'*'"controlPlane":{"programs":"/programs","scheduler":"/scheduler"}'*) ` +
		passes("w") + passes("x") + passes("y") + passes("z") + `exit 0;; *'"controlPlane"'*) echo "wrong: $input" >&2; exit 3;; esac; `
	r := workersRunner(&out, script(apart+passes("a")+passes("b")))
	specs := withAlone("w", "x", "y", "z")
	shares, err := r.shares(t.Context(), oneOfTwo{}, fakeSubject(), specs)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(shares).To(HaveLen(2), "two processes in total")
	g.Expect(ids(shares[0].specs)).To(Equal([]string{"w", "x", "y", "z", "a", "b"}))
	g.Expect(ids(shares[1].specs)).To(Equal([]string{"a", "b"}))
	g.Expect(shares[0].queue).To(BeIdenticalTo(shares[1].queue), "each spec runs once")
	got, err := runToTheEnd(t.Context(), r, oneOfTwo{}, shares)
	g.Expect(err).NotTo(HaveOccurred())
	for _, id := range []string{"a", "b", "w", "x", "y", "z"} {
		g.Expect(got[id].Outcome).To(Equal(suite.Passed), id)
	}
	g.Expect(out.String()).To(ContainSubstring("a control plane for specs that must run alone: logs in control-plane-p2"))
}

// Two processes share many specs, so that these do not end long after the others.
func TestManySpecsThatRunAloneHaveTwoControlPlanes(t *testing.T) {
	g := NewWithT(t)
	var many []string
	for i := range manyApart {
		many = append(many, fmt.Sprintf("alone-%02d", i))
	}
	divide := func(provider string, parallel int, alone []string) []share {
		r := workersRunner(&bytes.Buffer{}, script(""))
		r.Provider, r.Parallel = provider, parallel
		shares, err := r.divideApart(t.Context(), oneOfTwo{}, fakeSubject(), withAlone(alone...))
		g.Expect(err).NotTo(HaveOccurred())
		return shares
	}
	two := divide(ControlPlane, 3, many)
	g.Expect(two).To(HaveLen(2))
	for _, s := range two {
		g.Expect(ids(s.specs)).To(Equal(many))
		g.Expect(s.apart).NotTo(BeNil())
		g.Expect(s.queue).To(BeIdenticalTo(two[0].queue), "each spec runs once")
	}
	g.Expect(divide(ControlPlane, 3, many[1:])).To(HaveLen(1))
	g.Expect(divide(ControlPlane, 2, many)).To(HaveLen(1), "a process is left for the other specs")
	g.Expect(divide(Kind, 3, many)).To(HaveLen(1), "the specs with containers take longer")
}

// A second control plane is not worth while for few specs, and not possible in other
// clusters: they follow the others in the process of the run.
func TestSpecsThatRunAloneFollowInOtherRuns(t *testing.T) {
	alone := []string{"w", "x", "y", "z"}
	for name, test := range map[string]struct {
		cluster  cluster
		parallel int
		alone    []string
	}{
		"another provider": {fakeCluster{}, 2, alone},
		"one process":      {oneOfTwo{}, 1, alone},
		"few specs":        {oneOfTwo{}, 2, alone[:3]},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			r := workersRunner(&bytes.Buffer{}, script(""))
			r.Parallel = test.parallel
			shares, err := r.shares(t.Context(), test.cluster, fakeSubject(), withAlone(test.alone...))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(ids(slices.Concat(specsOf(shares)...))).NotTo(ContainElement("w"))
		})
	}
}

// A kind cluster has the driver of classic DRA. With a control plane, each spec starts its own.
func TestOnlyAKindClusterHasTheDriverOfClassicDRA(t *testing.T) {
	of := func(provider string) []string {
		g := NewWithT(t)
		r := workersRunner(&bytes.Buffer{}, script(""))
		r.Provider = provider
		specs := withAlone("w", "x", "y", "z")
		for i := range specs {
			if specs[i].ID == "b" || specs[i].ID == "z" {
				specs[i].Needs = append(specs[i].Needs, env.NeedsClassicAllocator)
			}
		}
		specs = append(specs, withAlone("v")[2])
		shares, err := r.shares(t.Context(), oneOfTwo{}, fakeSubject(), specs)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(shares[0].apart).NotTo(BeNil())
		return ids(shares[0].specs)
	}
	NewWithT(t).Expect(of(Kind)).To(ConsistOf("v", "w", "x", "y", "a"))
	NewWithT(t).Expect(of(ControlPlane)).To(ConsistOf("v", "w", "x", "y", "z", "a", "b"))
}

// What runs containers, restarts nodes or controls drivers is only in the cluster itself.
func TestSpecsThatNeedTheClusterAreNotApart(t *testing.T) {
	g := NewWithT(t)
	r := workersRunner(&bytes.Buffer{}, script(""))
	specs := withAlone("w", "x", "y", "z")
	specs[5].Needs = append(specs[5].Needs, env.NeedsScheduler)
	specs = append(specs,
		suite.Spec{ID: "nodes", Alone: true, MinNodes: 1}, suite.Spec{ID: "devices", Alone: true, Kinds: []subject.Kind{subject.KindExclusive}},
		suite.Spec{ID: "restarts-nodes", Needs: []env.Need{env.NeedsNodes}}, suite.Spec{ID: "stops-driver", Alone: true, Needs: []env.Need{env.NeedsDriverStop}},
		newJourneys("up")[0],
	)
	apart, err := r.divideApart(t.Context(), oneOfTwo{}, fakeSubject(), specs)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(apart).To(HaveLen(1))
	g.Expect(ids(apart[0].specs)).To(Equal([]string{"w", "x", "y", "z"}))
}

func TestKindClustersWithAControlPlaneNextToThem(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*runner)
		want   bool
	}{
		"built here":        {func(*runner) {}, true},
		"kept":              {func(r *runner) { r.Keep = true }, false},
		"another image":     {func(r *runner) { r.NodeImage = "example.com/node:v1.37.2" }, false},
		"another scheduler": {func(r *runner) { r.SchedulerName = "mine" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			k := &kindCluster{runner: workersRunner(&bytes.Buffer{}, nil)}
			test.change(k.runner)
			NewWithT(t).Expect(k.allowsAnother()).To(Equal(test.want))
		})
	}
}

// Compiling Kubernetes for it would take longer than it saves.
func TestKindClusterWithoutProgramsIsTheOnlyOne(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOMODCACHE", t.TempDir())
	k := &kindCluster{runner: workersRunner(&bytes.Buffer{}, nil)}
	k.release = clusters.Newest()
	g.Expect(k.another(t.Context())).To(BeNil())
}

func TestAnotherControlPlaneHasTheSamePrograms(t *testing.T) {
	g := NewWithT(t)
	r := workersRunner(&bytes.Buffer{}, nil)
	r.Scheduler = skew.DraconformScheduler
	c := r.newControlPlane(controlPlaneParts{Programs: "/programs", Scheduler: "/scheduler"})
	g.Expect(c.another(t.Context())).To(Equal(&controlPlaneParts{Programs: "/programs", Scheduler: "/scheduler"}))
	g.Expect(c.programs(t.Context())).To(Equal("/programs"))
	g.Expect(c.bundledScheduler(t.Context())).To(Equal("/scheduler"), "it is not built again")
	g.Expect(c.temp).To(BeEmpty())

	r.Scheduler = ExternalScheduler
	g.Expect(c.another(t.Context())).To(BeNil(), "the user starts one scheduler")
	r.Scheduler, r.Keep = skew.KubeScheduler, true
	g.Expect(c.another(t.Context())).To(BeNil(), "the user finds all objects in one control plane")
}

// A worker whose control plane does not start runs no spec, says why, and leaves
// nothing.
func TestWorkerWithoutItsControlPlane(t *testing.T) {
	g := NewWithT(t)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	in, err := json.Marshal(workerInput{
		Config: Config{Provider: ControlPlane, Parallel: 2}, Process: 2, ID: "20260101-000000-1a2b", Suffix: "1a2b", Dir: t.TempDir(), Owned: true,
		Specs: []string{"w"}, ControlPlane: &controlPlaneParts{Programs: "/nowhere"},
	})
	g.Expect(err).NotTo(HaveOccurred())
	var out bytes.Buffer
	err = Worker(t.Context(), bytes.NewReader(in), &out, withAlone("w"))
	g.Expect(err).To(MatchError(MatchRegexp(`^start control plane draconform-1a2b-p2: start etcd: .*/nowhere/etcd: no such file`)))
	g.Expect(out.String()).To(BeEmpty())
	g.Expect(os.ReadDir(temp)).To(BeEmpty())
}

func TestControlPlanesOfTheirOwnTakeNoSpecsThatNeedTheCluster(t *testing.T) {
	g := NewWithT(t)
	specs := independentSpecs("a")
	apart, inCluster := order{}.together(withAlone("w")[2:], 1), order{}.together(specs, 1)
	workersRunner(&bytes.Buffer{}, script("")).takeOver(apart, inCluster)
	g.Expect(ids(apart[0].specs)).To(Equal([]string{"w", "a"}))
	g.Expect(ids(inCluster[0].specs)).To(ConsistOf(ids(specs)))
}
