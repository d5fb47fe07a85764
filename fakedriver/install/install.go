package install

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
)

// pollInterval is how soon the cluster is looked at again while waiting.
const pollInterval = 500 * time.Millisecond

// Install installs the driver and returns when every node that runs it has
// published a complete pool. Installing again with the same options changes
// nothing; it fails if the objects belong to another run.
//
// Waiting ends with the context. The error then names the nodes that are not
// ready and says what their pods do.
func Install(ctx context.Context, client kubernetes.Interface, options Options) error {
	options, err := options.complete()
	if err != nil {
		return err
	}
	objects, err := options.objects()
	if err != nil {
		return err
	}
	for _, object := range objects {
		remote, description, err := find(client, object)
		if err != nil {
			return err
		}
		data, err := applied(object)
		if err != nil {
			return err
		}
		// Each run is a field manager of its own, so that taking over
		// the label of another run's object is a conflict.
		manager := metav1.PatchOptions{FieldManager: "draconform-" + options.RunID}
		if err := remote.apply(ctx, data, manager); err != nil {
			return fmt.Errorf("apply %s for run %s: %w", description, options.RunID, err)
		}
	}
	return waitUntilReady(ctx, client, options)
}

// Uninstall removes what Install created with the same options, waits until the
// driver's pods are gone and removes the driver's ResourceSlices. Objects with
// the same names that belong to another run stay, and so do that driver's
// ResourceSlices. It is no error if nothing is installed.
func Uninstall(ctx context.Context, client kubernetes.Interface, options Options) error {
	options, err := options.complete()
	if err != nil {
		return err
	}
	objects, err := options.objects()
	if err != nil {
		return err
	}
	slices.Reverse(objects)
	for _, object := range objects {
		remote, description, err := find(client, object)
		if err != nil {
			return err
		}
		if err := options.remove(ctx, remote); err != nil {
			return fmt.Errorf("remove %s of run %s: %w", description, options.RunID, err)
		}
	}
	if err := waitUntilGone(ctx, client, options); err != nil {
		return err
	}
	return removeSlices(ctx, client, options.DriverName)
}

// errForeign says that an object belongs to another run.
var errForeign = errors.New("it belongs to another run")

// remove deletes an object if it belongs to the run.
func (o Options) remove(ctx context.Context, remote remote) error {
	object, err := remote.get(ctx)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	for name, value := range o.labels() {
		if object.GetLabels()[name] != value {
			return fmt.Errorf("%w: label %s is %q", errForeign, name, object.GetLabels()[name])
		}
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

// waitUntilGone waits for the pods, because a driver that still runs would
// publish its ResourceSlices again.
func waitUntilGone(ctx context.Context, client kubernetes.Interface, options Options) error {
	var left []corev1.Pod
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		var err error
		left, err = options.pods(ctx, client)
		return len(left) == 0, err
	})
	if err != nil {
		return fmt.Errorf("wait until %d pods of driver %s are gone: %w", len(left), options.DriverName, err)
	}
	return nil
}

func (o Options) pods(ctx context.Context, client kubernetes.Interface) ([]corev1.Pod, error) {
	list, err := client.CoreV1().Pods(o.Namespace).List(ctx, metav1.ListOptions{LabelSelector: o.labels().String()})
	if err != nil {
		return nil, fmt.Errorf("list pods of driver %s: %w", o.DriverName, err)
	}
	return list.Items, nil
}

func removeSlices(ctx context.Context, client kubernetes.Interface, driver string) error {
	stored, err := listSlices(ctx, client, driver)
	if err != nil {
		return err
	}
	for _, slice := range stored {
		err := client.ResourceV1().ResourceSlices().Delete(ctx, slice.Name, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("remove ResourceSlice %s: %w", slice.Name, err)
		}
	}
	return nil
}

// listSlices returns the slices of a driver.
func listSlices(ctx context.Context, client kubernetes.Interface, driver string) ([]resourceapi.ResourceSlice, error) {
	list, err := client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector(resourceapi.ResourceSliceSelectorDriver, driver).String(),
	})
	if err != nil {
		return nil, fmt.Errorf("list ResourceSlices of driver %s: %w", driver, err)
	}
	return list.Items, nil
}
