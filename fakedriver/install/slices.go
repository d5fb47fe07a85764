// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"context"
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
)

// RemoveSlices removes the ResourceSlices of a driver and of the drivers that
// were started in its pods through the control endpoint. The names of those end
// in a dot and the driver's name. Slices of another installation are kept even
// if its name has the same ending. The drivers must not run any more.
func RemoveSlices(ctx context.Context, client kubernetes.Interface, driver string) error {
	// The API cannot select slices by the suffix of the driver name.
	all, err := client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list ResourceSlices: %w", err)
	}
	installed, err := client.ResourceV1().DeviceClasses().List(ctx, metav1.ListOptions{LabelSelector: DriverLabel})
	if err != nil {
		return fmt.Errorf("list DeviceClasses of other installations: %w", err)
	}
	for _, slice := range all.Items {
		if !belongs(slice.Spec.Driver, driver) {
			continue
		}
		foreign := false
		for _, class := range installed.Items {
			other := class.Labels[DriverLabel]
			foreign = foreign || other != driver && belongs(other, driver) && belongs(slice.Spec.Driver, other)
		}
		if foreign {
			continue
		}
		err := client.ResourceV1().ResourceSlices().Delete(ctx, slice.Name, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("remove ResourceSlice %s: %w", slice.Name, err)
		}
	}
	return nil
}

// belongs reports whether a driver is the one of an installation or was started
// in addition to it.
func belongs(driver, installation string) bool {
	return driver == installation || strings.HasSuffix(driver, "."+installation)
}

// listSlices returns the ResourceSlices of a driver.
func listSlices(ctx context.Context, client kubernetes.Interface, driver string) ([]resourceapi.ResourceSlice, error) {
	list, err := client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector(resourceapi.ResourceSliceSelectorDriver, driver).String(),
	})
	if err != nil {
		return nil, fmt.Errorf("list ResourceSlices of driver %s: %w", driver, err)
	}
	return list.Items, nil
}

// latest returns the slices of a pool's latest generation, or nil if the
// generation is incomplete.
func latest(stored []resourceapi.ResourceSlice, pool string) []resourceapi.ResourceSlice {
	var found []resourceapi.ResourceSlice
	for _, slice := range stored {
		switch generation := slice.Spec.Pool.Generation; {
		case slice.Spec.Pool.Name != pool:
		case len(found) == 0 || generation > found[0].Spec.Pool.Generation:
			found = []resourceapi.ResourceSlice{slice}
		case generation == found[0].Spec.Pool.Generation:
			found = append(found, slice)
		}
	}
	if len(found) == 0 || int64(len(found)) != found[0].Spec.Pool.ResourceSliceCount {
		return nil
	}
	return found
}

// haveCompletePool reports whether slices of a node are a complete pool.
func haveCompletePool(stored []resourceapi.ResourceSlice, node string) bool {
	return slices.ContainsFunc(stored, func(slice resourceapi.ResourceSlice) bool {
		return ptr.Deref(slice.Spec.NodeName, "") == node && latest(stored, slice.Spec.Pool.Name) != nil
	})
}
