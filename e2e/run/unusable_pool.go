// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/allocator/state"
	"github.com/draconform/draconform/e2e/subject/published"
)

// findUnusablePool describes an unusable pool that is available on all nodes.
// It returns an empty string if there is none.
func findUnusablePool(ctx context.Context, client kubernetes.Interface) (string, error) {
	list, err := client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", fmt.Errorf("list all slices: %w", err)
	}
	var objects state.Objects
	for i := range list.Items {
		objects.Add(&list.Items[i])
	}
	drivers, err := published.Drivers(ctx, &objects)
	if err != nil {
		return "", err
	}
	for _, driver := range drivers {
		for _, pool := range driver.Pools {
			if pool.Unusable != "" && pool.AllNodes {
				return fmt.Sprintf("pool %s of driver %s is not: %s", pool.Name, driver.Name, pool.Unusable), nil
			}
		}
	}
	return "", nil
}
