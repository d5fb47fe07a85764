// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/metrics"
)

// claimsByState is the number of claims of the cluster that are allocated, or are
// not, as kube-controller-manager reports it.
func claimsByState(allocated bool) metrics.Series {
	return metrics.Series{
		Component: env.ControllerManager, Metric: "dynamic_resource_allocation_resource_claims",
		Labels: map[string]string{"allocated": strconv.FormatBool(allocated)},
	}
}

// countClaims returns a function that counts these claims in the API. Those of
// earlier specs may still be removed.
func countClaims(e *env.Env, allocated bool) func(context.Context) (float64, error) {
	return func(ctx context.Context) (float64, error) {
		all, err := e.Client.ResourceV1().ResourceClaims(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
		if err != nil {
			return 0, err
		}
		n := 0.0
		for i := range all.Items {
			if (all.Items[i].Status.Allocation != nil) == allocated {
				n++
			}
		}
		return n, nil
	}
}
