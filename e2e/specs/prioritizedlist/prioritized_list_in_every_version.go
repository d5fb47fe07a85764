// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package prioritizedlist

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	resourcev1beta1 "k8s.io/api/resource/v1beta1"
	resourcev1beta2 "k8s.io/api/resource/v1beta2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// prioritizedListInEveryVersion creates the same claim in v1beta1, where
// requests are flat, and in v1, and reads both in every version. Then a pod
// uses one of them, and its allocation is read in every version.
var prioritizedListInEveryVersion = suite.Spec{
	ID:          "prioritized-list-in-every-version",
	Description: "A claim with subrequests that is written in one version of the API reads the same in the others, and so does its allocation.",
	Profile:     profile,
	Features:    append([]features.Feature{features.V1beta1, features.V1beta2}, simulatedFeatures...),
	Component:   env.Cluster,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"4816-v1beta1-flat-requests",
		"4816-versions-convert",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk-0", "disk-1"))
		flat := loadClaim[resourcev1beta1.ResourceClaimSpec](sim, "claim_v1beta1.yaml")
		nested := loadClaim[resourceapi.ResourceClaimSpec](sim, "claim_v1.yaml")

		betaClaims := e.Client.ResourceV1beta1().ResourceClaims(e.Namespace)
		_, err := betaClaims.Create(ctx, &resourcev1beta1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "flat", Labels: e.Labels}, Spec: flat}, metav1.CreateOptions{})
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		_, err = claims.Create(ctx, e, "nested", nested.Devices)
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		for _, name := range []string{"flat", "nested"} {
			getVersions(ctx, e, name).expectSpecs(flat, nested, nil)
		}

		ginkgo.By("writing a request that is both flat and has alternatives")
		mixed := *flat.DeepCopy()
		mixed.Devices.Requests[0].DeviceClassName = sim.Class
		_, err = betaClaims.Create(ctx, &resourcev1beta1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "mixed", Labels: e.Labels}, Spec: mixed}, metav1.CreateOptions{})
		gomega.Expect(err).To(gomega.Satisfy(apierrors.IsInvalid), "a request with alternatives has no class of its own")

		pods.CreateUsingClaims(ctx, e, "flat", pods.Options{}, "flat")
		expect.ScheduledFor(ctx, e, "flat", "there is a card and a disk", "list/card", "disk")
		getVersions(ctx, e, "flat").expectSpecs(flat, nested, []string{"list/card", "disk"})
	},
}

// loadClaim reads the spec of a claim for devices of simulated nodes from a
// file.
func loadClaim[T any](s *simulated.Nodes, file string) (spec T) {
	ginkgo.GinkgoHelper()
	content, err := data.ReadFile("data/" + file)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	text := strings.NewReplacer("CLASS", s.Class, "DRIVER", s.Driver).Replace(string(content))
	gomega.Expect(yaml.UnmarshalStrict([]byte(text), &spec)).To(gomega.Succeed(), file)
	return spec
}

// versions is a claim in each version of the API.
type versions struct {
	v1      *resourceapi.ResourceClaim
	v1beta1 *resourcev1beta1.ResourceClaim
	v1beta2 *resourcev1beta2.ResourceClaim
}

// getVersions reads a claim in each version.
func getVersions(ctx context.Context, e *env.Env, claim string) (v versions) {
	ginkgo.GinkgoHelper()
	ginkgo.By("reading claim " + claim + " in every version")
	var err error
	v.v1, err = e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, claim, metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred(), "claim %s should exist in v1", claim)
	v.v1beta1, err = e.Client.ResourceV1beta1().ResourceClaims(e.Namespace).Get(ctx, claim, metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred(), "claim %s should exist in v1beta1", claim)
	v.v1beta2, err = e.Client.ResourceV1beta2().ResourceClaims(e.Namespace).Get(ctx, claim, metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred(), "claim %s should exist in v1beta2", claim)
	return v
}

// expectSpecs asserts the spec of the claim in each version, and the requests
// and subrequests of its allocation results if allocated is not nil. The spec
// of v1beta2 is written like that of v1.
func (v versions) expectSpecs(flat resourcev1beta1.ResourceClaimSpec, nested resourceapi.ResourceClaimSpec, allocated []string) {
	ginkgo.GinkgoHelper()
	gomega.Expect(v.v1beta1.Spec).To(gomega.Equal(flat), "claim %s in v1beta1", v.v1.Name)
	gomega.Expect(v.v1.Spec).To(gomega.Equal(nested), "claim %s in v1", v.v1.Name)
	gomega.Expect(toJSON(v.v1beta2.Spec)).To(gomega.MatchJSON(toJSON(nested)), "claim %s in v1beta2", v.v1.Name)
	if allocated == nil {
		return
	}
	want := toJSON(v.v1.Status.Allocation.Devices)
	gomega.Expect(toJSON(v.v1beta1.Status.Allocation.Devices)).To(gomega.MatchJSON(want), "the allocation of claim %s in v1beta1", v.v1.Name)
	gomega.Expect(toJSON(v.v1beta2.Status.Allocation.Devices)).To(gomega.MatchJSON(want), "the allocation of claim %s in v1beta2", v.v1.Name)
	var requests []string
	for _, result := range v.v1beta1.Status.Allocation.Devices.Results {
		requests = append(requests, result.Request)
	}
	gomega.Expect(requests).To(gomega.ConsistOf(allocated), "the requests of the allocation of claim %s in v1beta1", v.v1.Name)
}

func toJSON(part any) []byte {
	ginkgo.GinkgoHelper()
	content, err := json.Marshal(part)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return content
}
