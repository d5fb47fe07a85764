// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// claimsInUseMetric is the kubelet's metric with the number of prepared claims
// by driver. It is an alpha metric of Kubernetes 1.34 and newer. startMetric is that with the
// start of the kubelet, in seconds since 1970.
const (
	claimsInUseMetric = "dra_resource_claims_in_use"
	startMetric       = "process_start_time_seconds"
)

// ClaimsInUse implements [operations.Drivers] by the metrics of the kubelet.
func (f *foreign) ClaimsInUse(ctx context.Context, driver, node string) (operations.ClaimsCount, error) {
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

// claimsInUse reads the metrics of one node. A driver that the metric does not
// list has no claims in use.
func (r *runner) claimsInUse(ctx context.Context, driver, node string) (operations.ClaimsCount, error) {
	content, err := r.client.CoreV1().RESTClient().Get().Resource("nodes").Name(node).SubResource("proxy").Suffix("metrics").DoRaw(ctx)
	if err != nil {
		return operations.ClaimsCount{}, fmt.Errorf("get the metrics of node %s: %w", node, err)
	}
	count, err := countClaims(content, driver, time.Now())
	if err != nil {
		return operations.ClaimsCount{}, fmt.Errorf("metrics of node %s: %w", node, err)
	}
	return count, nil
}

// countClaims reads the metrics of a kubelet at a time. All claims that were prepared before may be
// missing in the count of a kubelet that does not report its start.
func countClaims(metrics []byte, driver string, now time.Time) (operations.ClaimsCount, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(metrics))
	if err != nil {
		return operations.ClaimsCount{}, fmt.Errorf("parse the metrics: %w", err)
	}
	family := families[claimsInUseMetric]
	if family == nil { // The kubelet may be an older one than those of other nodes.
		return operations.ClaimsCount{}, fmt.Errorf("the kubelet does not report %s: %w", claimsInUseMetric, operations.ErrNotKnown)
	}
	count := operations.ClaimsCount{Since: now}
	for _, metric := range families[startMetric].GetMetric() {
		count.Since = time.UnixMilli(int64(1000 * metric.GetGauge().GetValue()))
	}
	for _, metric := range family.GetMetric() {
		for _, label := range metric.GetLabel() {
			if label.GetName() == "driver_name" && label.GetValue() == driver {
				count.Claims = int(metric.GetGauge().GetValue())
			}
		}
	}
	return count, nil
}
