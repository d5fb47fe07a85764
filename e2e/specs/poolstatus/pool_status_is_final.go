// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package poolstatus

import (
	"context"

	"github.com/onsi/gomega"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// poolStatusIsFinal requests the status of a pool, and then tries to change the
// request and the answer.
var poolStatusIsFinal = suite.Spec{
	ID:          "pool-status-is-final",
	Description: "The API server rejects changes of a request for the status of pools, and of the status that is the answer.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    statusFeatures,
	Component:   env.Cluster,
	Needs:       simulatedNodes,
	Requirements: []string{
		"5677-request-is-immutable", "5677-answer-is-immutable",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("a"))
		all := newRequests(e)
		name, err := all.create(ctx, resourcev1alpha3.ResourcePoolStatusRequestSpec{Driver: sim.Driver})
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		answered := all.waitForAnswer(ctx, name)

		for _, change := range []struct {
			what string
			to   func(*resourcev1alpha3.ResourcePoolStatusRequestSpec)
		}{
			{"another limit", func(s *resourcev1alpha3.ResourcePoolStatusRequestSpec) { s.Limit = ptr.To[int32](1) }},
			{"the name of a pool", func(s *resourcev1alpha3.ResourcePoolStatusRequestSpec) { s.PoolName = &sim.Names[0] }},
			{"another driver", func(s *resourcev1alpha3.ResourcePoolStatusRequestSpec) { s.Driver = sim.OtherDriver() }},
		} {
			changed := answered.DeepCopy()
			change.to(&changed.Spec)
			_, err = all.client().Update(ctx, changed, metav1.UpdateOptions{})
			gomega.Expect(dryrun.InvalidFields(err)).NotTo(gomega.BeEmpty(), "the API server should reject %s in the request: %v", change.what, err)
		}

		changed := answered.DeepCopy()
		changed.Status.PoolCount = ptr.To[int32](7)
		_, err = all.client().UpdateStatus(ctx, changed, metav1.UpdateOptions{})
		gomega.Expect(dryrun.InvalidFields(err)).NotTo(gomega.BeEmpty(), "the API server should reject another status of the request: %v", err)
	},
}
