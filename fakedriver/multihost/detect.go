// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

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

// detect probes with dry-run requests in which form the API server stores
// devices that have their own node selectors and consume counters. If it
// supports no form, detect returns [publish.NoCounters] and the reason.
//
// detect uses a minimal pool, so that the result does not depend on whether the
// topology fits into the form.
func detect(ctx context.Context, client resourceclient.ResourceSliceInterface, driver string) (form publish.Form, reason, err error) {
	for _, form := range []publish.Form{publish.SeparateCounters, publish.CountersWithDevices} {
		layout, err := samplePool().Slices(form)
		if err != nil {
			return 0, nil, err
		}
		reason, err = try(ctx, client, publish.Objects(driver, "probe", layout))
		if err != nil {
			return 0, nil, fmt.Errorf("probe which ResourceSlices the API server accepts: %w", err)
		}
		if reason == nil {
			return form, nil, nil
		}
	}
	return publish.NoCounters, reason, nil
}

// try creates slices with a dry run. reason is set if the API server would not
// store one of them unchanged. err is set if the request failed for another
// reason.
//
// Without DRAPartitionableDevices, an API server drops the node selection of
// these slices. It then rejects them as invalid, because they have none.
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

// samplePool returns a pool that uses all fields that depend on the feature
// gate.
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
