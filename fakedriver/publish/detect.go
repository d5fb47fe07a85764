package publish

import (
	"context"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	resourceclient "k8s.io/client-go/kubernetes/typed/resource/v1"
	"k8s.io/klog/v2"

	"github.com/draconform/draconform/fakedriver/describe"
)

// Detect returns the first form in which the API server would store the
// inventory without changing it. It asks with dry-run requests, before anything
// is published: an API server drops the fields of features that are disabled,
// and until a driver notices that in what it published, a scheduler sees
// partitions that overlap as independent devices.
//
// The version of the API server would not tell the same: it says nothing about
// feature gates, and an API server that emulates an older version keeps the
// newer validation.
func Detect(ctx context.Context, client resourceclient.ResourceSliceInterface, driver, node string, inventory *describe.Inventory) (Form, error) {
	var rejected error
	for _, form := range []Form{SeparateCounters, CountersWithDevices, NoCounters} {
		reason, err := probe(ctx, client, Objects(driver, node, Slices(inventory, form)))
		if err != nil {
			return 0, fmt.Errorf("find out which ResourceSlices the API server takes: %w", err)
		}
		if reason == nil {
			return form, nil
		}
		klog.FromContext(ctx).V(3).Info("The API server does not take the devices in this form", "form", form.String(), "reason", reason)
		rejected = reason
	}
	return 0, fmt.Errorf("the API server takes not even %s: %w", NoCounters, rejected)
}

// probe creates the slices with a dry run. The reason says why one of them
// would not be stored as it is, err why the API server could not be asked.
func probe(ctx context.Context, client resourceclient.ResourceSliceInterface, objects []*resourceapi.ResourceSlice) (reason, err error) {
	for _, object := range objects {
		trial := object.DeepCopy()
		// The name must not be that of an existing slice.
		trial.GenerateName, trial.Name = trial.Name+"-probe-", ""
		stored, err := client.Create(ctx, trial, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		switch {
		case apierrors.IsInvalid(err):
			return err, nil
		case err != nil:
			return nil, err
		case !apiequality.Semantic.DeepEqual(stored.Spec, object.Spec):
			return fmt.Errorf("fields of slice %s were dropped", object.Name), nil
		}
	}
	return nil, nil
}
