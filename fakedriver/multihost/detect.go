package multihost

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	resourceclient "k8s.io/client-go/kubernetes/typed/resource/v1"

	"github.com/draconform/draconform/fakedriver/publish"
	"github.com/draconform/draconform/fakedriver/topology"
)

// detect finds out with dry runs in which form the API server would store
// devices that have node selectors of their own and consume counters.
// [publish.NoCounters] means in none; the reason says why.
//
// It is a tiny pool that is tried: the answer must not depend on whether the
// topology fits into the form.
func detect(ctx context.Context, client resourceclient.ResourceSliceInterface, driver string) (form publish.Form, reason, err error) {
	for _, form := range []publish.Form{publish.SeparateCounters, publish.CountersWithDevices} {
		layout, err := samplePool().Slices(form)
		if err != nil {
			return 0, nil, err
		}
		reason, err = try(ctx, client, publish.Objects(driver, "probe", layout))
		if err != nil {
			return 0, nil, fmt.Errorf("find out which ResourceSlices the API server takes: %w", err)
		}
		if reason == nil {
			return form, nil, nil
		}
	}
	return publish.NoCounters, reason, nil
}

// try creates slices with a dry run. The reason says why one of them would not
// be stored as it is, err why the API server could not be asked.
//
// Without DRAPartitionableDevices, an API server drops all node selection from
// these slices and then finds that they have none: they are invalid.
func try(ctx context.Context, client resourceclient.ResourceSliceInterface, objects []*resourceapi.ResourceSlice) (reason, err error) {
	for _, object := range objects {
		trial := object.DeepCopy()
		trial.GenerateName, trial.Name = trial.Name+"-", ""
		stored, err := client.Create(ctx, trial, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		switch {
		case apierrors.IsInvalid(err):
			return err, nil
		case err != nil:
			return nil, err
		case !apiequality.Semantic.DeepEqual(stored.Spec, object.Spec):
			return fmt.Errorf("fields of %s were dropped", trial.GenerateName), nil
		}
	}
	return nil, nil
}

// samplePool has everything that depends on the feature gate.
func samplePool() *topology.Pool {
	one := map[string]resourceapi.Counter{"tpus": {Value: *resource.NewQuantity(1, resource.DecimalSI)}}
	return &topology.Pool{
		CounterSets: []resourceapi.CounterSet{{Name: "probe", Counters: one}},
		Devices: []resourceapi.Device{{
			Name: "probe",
			NodeSelector: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchExpressions: []corev1.NodeSelectorRequirement{{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpExists}},
			}}},
			ConsumesCounters: []resourceapi.DeviceCounterConsumption{{CounterSet: "probe", Counters: one}},
		}},
	}
}
