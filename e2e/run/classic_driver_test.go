// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"os/exec"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
)

// Each release with classic DRA has a driver that is built for it. Its image is in the
// nodes of kind clusters, where the run installs it.
func TestDriverOfClassicDRA(t *testing.T) {
	for name, test := range map[string]struct {
		provider, release string
		image, installed  string
	}{
		"kind cluster of 1.30":  {Kind, "1.30", "draconform.dev/classic-v1alpha2:dev", "draconform.dev/classic-v1alpha2:dev"},
		"kind cluster of 1.31":  {Kind, "1.31", "draconform.dev/classic:dev", "draconform.dev/classic:dev"},
		"control plane of 1.31": {ControlPlane, "1.31", "draconform.dev/classic:dev", ""},
		"kind cluster of 1.34":  {Kind, "1.34", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			release, err := clusters.FindRelease(test.release)
			g.Expect(err).NotTo(HaveOccurred())
			r := &runner{plan: &plan{Config: Config{Provider: test.provider}, release: release}}
			installed := ""
			if driver := r.newClassicDriver(t.Context()); driver != nil {
				installed = driver.options.Image
			}
			g.Expect(installed).To(Equal(test.installed))
			var refs []string
			for _, image := range r.imagesOfSuite(t.Context()) {
				refs = append(refs, image.Ref)
			}
			if test.image == "" {
				g.Expect(refs).To(ConsistOf(images.Fakedriver.Ref, images.Workload.Ref, images.NodeAgent.Ref))
				return
			}
			g.Expect(refs).To(ConsistOf(images.Workload.Ref, test.image))
		})
	}
	for need, want := range map[env.Need]bool{env.NeedsClassicDriver: true, env.NeedsClassicAllocator: true, env.NeedsClassicControllers: false} {
		NewWithT(t).Expect(usesClassicDriver(suite.Spec{Needs: []env.Need{need}})).To(Equal(want))
	}
}

// Journeys go on in another release, for which they have a driver, too.
func TestImagesOfClassicJourneys(t *testing.T) {
	for release, want := range map[string][]string{
		"1.30": {images.Workload.Ref, images.ClassicEarlier.Ref, images.Classic.Ref},
		"1.31": {images.Workload.Ref, images.Classic.Ref, images.ClassicEarlier.Ref},
		"1.32": {images.Workload.Ref},
	} {
		g := NewWithT(t)
		found, err := clusters.FindRelease(release)
		g.Expect(err).NotTo(HaveOccurred())
		r := &runner{plan: &plan{release: found, selected: []suite.Spec{{Journey: &journey.Journey{}}}}}
		var refs []string
		for _, image := range r.imagesOfSuite(t.Context()) {
			refs = append(refs, image.Ref)
		}
		g.Expect(refs).To(ConsistOf(want), release)
	}
}

// Kubelets of Kubernetes 1.30 do not prepare claims of drivers with longer names: they name an annotation after the
// driver and the UID of the claim.
func TestNameOfTheClassicDriverFitsIntoAnnotations(t *testing.T) {
	g := NewWithT(t)
	release, err := clusters.FindRelease("1.30")
	g.Expect(err).NotTo(HaveOccurred())
	id, suffix := NewID()
	r := &runner{plan: &plan{Config: Config{Provider: Kind}, release: release, id: id, suffix: suffix}}
	annotation := r.newClassicDriver(t.Context()).Name() + "_" + string(uuid.NewUUID())
	g.Expect(validation.IsQualifiedName("cdi.k8s.io/" + annotation)).To(BeEmpty())
}

func TestClassicDriverOfAnUnknownRelease(t *testing.T) {
	err := (&classicDriver{}).ChangeRelease(t.Context(), "1.32")
	NewWithT(t).Expect(err).To(MatchError("there is no driver of classic DRA for Kubernetes 1.32"))
}

// Processes run the specs of the driver side by side, each with a driver of its own. A run
// of few specs or with one process installs one.
func TestDriversOfClassicProcesses(t *testing.T) {
	release, err := clusters.FindRelease("1.31")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	all := []suite.Spec{{ID: "other"}}
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		all = append(all, suite.Spec{ID: id, Needs: []env.Need{env.NeedsClassicDriver}})
	}
	run := func(change func(*runner)) *runner {
		r := &runner{plan: &plan{Config: Config{Provider: Kind, Parallel: 8, Worker: func(context.Context) *exec.Cmd { return nil }}, release: release, suffix: "abcd"}}
		change(r)
		return r
	}
	t.Run("many specs", func(t *testing.T) {
		g := NewWithT(t)
		r := run(func(*runner) {})
		shares := r.divideClassic(t.Context(), all)
		g.Expect(shares).To(HaveLen(classicProcesses))
		g.Expect(shares[0].specs).To(HaveLen(5))
		g.Expect(without(all, shares)).To(HaveLen(1))
		of := r.withClassic(report.Subject{Drivers: []string{}}, shares)
		g.Expect(of.Installed).To(BeTrue())
		names := map[string]bool{}
		for i, name := range of.Drivers {
			worker := run(func(r *runner) { r.worker = firstWorker + i }).newClassicDriver(t.Context())
			g.Expect(worker.Name()).To(Equal(name), "the process installs the driver that the report names")
			g.Expect(len(name)).To(BeNumerically("<=", 26))
			names[name], names[worker.options.Namespace] = true, true
		}
		g.Expect(names).To(HaveLen(2*classicProcesses), "no two processes share a driver or its namespace")
	})
	for name, change := range map[string]func(*runner){
		"one process":      func(r *runner) { r.Parallel = 1 },
		"no driver":        func(r *runner) { r.Provider = ControlPlane },
		"a release of DRA": func(r *runner) { r.release = clusters.Newest() },
	} {
		t.Run(name, func(t *testing.T) { NewWithT(t).Expect(run(change).divideClassic(t.Context(), all)).To(BeEmpty()) })
	}
	NewWithT(t).Expect(run(func(*runner) {}).divideClassic(t.Context(), all[:4])).To(BeEmpty(), "few specs")
}
