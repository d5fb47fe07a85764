// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package poolstatus

import (
	"context"

	"github.com/onsi/gomega"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
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
		all.waitForAnswer(ctx, name)

		for _, change := range []struct {
			what string
			to   func(*resourcev1alpha3.ResourcePoolStatusRequestSpec)
		}{
			{"another limit", func(s *resourcev1alpha3.ResourcePoolStatusRequestSpec) { s.Limit = ptr.To[int32](1) }},
			{"the name of a pool", func(s *resourcev1alpha3.ResourcePoolStatusRequestSpec) { s.PoolName = &sim.Names[0] }},
			{"another driver", func(s *resourcev1alpha3.ResourcePoolStatusRequestSpec) { s.Driver = sim.OtherDriver() }},
		} {
			err = all.update(ctx, name, all.client().Update, func(r *resourcev1alpha3.ResourcePoolStatusRequest) { change.to(&r.Spec) })
			gomega.Expect(dryrun.InvalidFields(err)).NotTo(gomega.BeEmpty(), "the API server should reject %s in the request: %v", change.what, err)
		}
		err = all.update(ctx, name, all.client().UpdateStatus, func(r *resourcev1alpha3.ResourcePoolStatusRequest) { r.Status.PoolCount = ptr.To[int32](7) })
		gomega.Expect(dryrun.InvalidFields(err)).NotTo(gomega.BeEmpty(), "the API server should reject another status of the request: %v", err)
	},
}

// update changes a request that has been answered, by a method of the client. Something in the
// cluster may add labels to it at any time.
func (r *requests) update(ctx context.Context, name string, write func(context.Context, *resourcev1alpha3.ResourcePoolStatusRequest, metav1.UpdateOptions) (*resourcev1alpha3.ResourcePoolStatusRequest, error), change func(*resourcev1alpha3.ResourcePoolStatusRequest)) error {
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		request, err := r.client().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		change(request)
		_, err = write(ctx, request, metav1.UpdateOptions{})
		return err
	})
}
