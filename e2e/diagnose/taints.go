// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose

import (
	"context"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/e2e/suite/taintrules"
	"github.com/draconform/draconform/internal/rules"
)

// addTaints adds the taints of the cluster's DeviceTaintRules to devices, as the scheduler does. A user without the right to list
// the rules gets a note instead.
func addTaints(ctx context.Context, client kubernetes.Interface, slices []resourceapi.ResourceSlice) (note string) {
	found, err := taintrules.List(ctx, client, metav1.ListOptions{})
	if err != nil {
		return fmt.Sprintf("taints of DeviceTaintRules are not known: %s", err)
	}
	for i := range found.Items {
		for j := range slices {
			addTaint(&found.Items[i], &slices[j].Spec)
		}
	}
	return ""
}

func addTaint(rule *resourceapi.DeviceTaintRule, slice *resourceapi.ResourceSliceSpec) {
	for i := range slice.Devices {
		if device := &slice.Devices[i]; rules.TaintedBy(rule, slice.Driver, slice.Pool.Name, device.Name) {
			device.Taints = append(device.Taints, rule.Spec.Taint)
		}
	}
}
