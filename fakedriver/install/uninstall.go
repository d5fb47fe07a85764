// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
)

// Uninstall removes the objects that Install created for the same run and
// driver, regardless of the options for devices. It waits until the driver's
// pods are gone. Then it removes the driver's ResourceSlices, those of drivers
// that were started in addition to it, and the node labels of Stop. It is no
// error if nothing is installed.
//
// Objects with the same names that do not belong to the run are kept. In this
// case, Uninstall also keeps all ResourceSlices and returns an error that names
// the objects.
func Uninstall(ctx context.Context, client kubernetes.Interface, options Options) error {
	options, err := options.complete()
	if err != nil {
		return err
	}
	objects, err := options.everything()
	if err != nil {
		return err
	}
	slices.Reverse(objects)
	var foreign []error
	for _, object := range objects {
		remote, description, err := find(client, object)
		if err != nil {
			return err
		}
		err = options.remove(ctx, remote)
		if err != nil {
			err = fmt.Errorf("remove %s of run %s: %w", description, options.RunID, err)
		}
		if errors.Is(err, errForeign) {
			foreign = append(foreign, err)
		} else if err != nil {
			return err
		}
	}
	if err := waitUntilGone(ctx, client, options); err != nil || foreign != nil {
		return errors.Join(append(foreign, err)...)
	}
	if err := RemoveLabels(ctx, client, options.DriverName); err != nil {
		return err
	}
	return RemoveSlices(ctx, client, options.DriverName)
}

// remove deletes an object if it belongs to the run.
func (o Options) remove(ctx context.Context, remote remote) error {
	object, err := remote.get(ctx)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := o.checkOwner(object); err != nil {
		return err
	}
	err = remote.delete(ctx, metav1.DeleteOptions{
		Preconditions:     &metav1.Preconditions{UID: ptr.To(object.GetUID())},
		PropagationPolicy: ptr.To(metav1.DeletePropagationBackground),
	})
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	return nil
}

// waitUntilGone waits until all pods are gone. A running driver would publish
// its ResourceSlices again.
func waitUntilGone(ctx context.Context, client kubernetes.Interface, options Options) error {
	var left []corev1.Pod
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		var err error
		left, err = options.pods(ctx, client, "")
		return len(left) == 0, err
	})
	if err != nil {
		return fmt.Errorf("wait until %d pods of driver %s are gone: %w", len(left), options.DriverName, err)
	}
	return nil
}
