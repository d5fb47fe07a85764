// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"context"
	"fmt"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// claimsInUseMetric is the kubelet's metric with the number of prepared claims
// by driver. It is an alpha metric of Kubernetes 1.34 and newer.
const claimsInUseMetric = "dra_resource_claims_in_use"

// ClaimsInUse implements [operations.Drivers] by the metrics of the kubelet.
func (f *foreign) ClaimsInUse(ctx context.Context, driver, node string) (int, error) {
	return f.claimsInUse(ctx, driver, node)
}

// lacksClaimsInUse returns why the metric cannot be read, or an empty string.
func (r *runner) lacksClaimsInUse(ctx context.Context) (string, error) {
	nodes, err := r.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", fmt.Errorf("list nodes: %w", err)
	}
	for i := range nodes.Items {
		if !env.Ready(&nodes.Items[i]) {
			continue
		}
		_, err := r.claimsInUse(ctx, "", nodes.Items[i].Name)
		switch {
		case apierrors.IsForbidden(err):
			return "needs the kubelet's metric " + claimsInUseMetric + ": allow the run to get nodes/proxy", nil
		case err != nil:
			return fmt.Sprintf("needs the kubelet's metric %s: %v", claimsInUseMetric, err), nil
		}
		return "", nil
	}
	return "needs the kubelet's metric " + claimsInUseMetric + ", and no node is ready", nil
}

// claimsInUse reads the metric of one node. A driver that the metric does not
// list has no claims in use.
func (r *runner) claimsInUse(ctx context.Context, driver, node string) (int, error) {
	content, err := r.client.CoreV1().RESTClient().Get().Resource("nodes").Name(node).SubResource("proxy").Suffix("metrics").DoRaw(ctx)
	if err != nil {
		return 0, fmt.Errorf("get the metrics of node %s: %w", node, err)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(content))
	if err != nil {
		return 0, fmt.Errorf("parse the metrics of node %s: %w", node, err)
	}
	family := families[claimsInUseMetric]
	if family == nil { // The kubelet may be an older one than those of other nodes.
		return 0, fmt.Errorf("metric %s of node %s: the kubelet does not report it: %w", claimsInUseMetric, node, operations.ErrNotKnown)
	}
	for _, metric := range family.GetMetric() {
		for _, label := range metric.GetLabel() {
			if label.GetName() == "driver_name" && label.GetValue() == driver {
				return int(metric.GetGauge().GetValue()), nil
			}
		}
	}
	return 0, nil
}
