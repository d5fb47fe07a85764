// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/kubernetes"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"

	"github.com/draconform/draconform/internal/fault"
)

// Name is the plugin's name in the scheduler configuration.
const Name = "DraconformResources"

// Plugin allocates the ResourceClaims of pods. It stores its decisions in the cycle state of the pod and in the
// framework's SharedDRAManager, which all profiles share.
type Plugin struct {
	handle     fwk.Handle
	client     kubernetes.Interface
	dra        fwk.SharedDRAManager
	features   feature.Features
	args       Args
	allocators allocators
	indices    indices
	shared     *shared
	// explainTime bounds how long explaining a failed pod may block the scheduler.
	explainTime time.Duration
}

var (
	_ fwk.PreEnqueuePlugin  = &Plugin{}
	_ fwk.PreFilterPlugin   = &Plugin{}
	_ fwk.FilterPlugin      = &Plugin{}
	_ fwk.PostFilterPlugin  = &Plugin{}
	_ fwk.ScorePlugin       = &Plugin{}
	_ fwk.ReservePlugin     = &Plugin{}
	_ fwk.PreBindPlugin     = &Plugin{}
	_ fwk.EnqueueExtensions = &Plugin{}
	_ fwk.SignPlugin        = &Plugin{}
)

// New returns the plugin for one profile, with the features of the process's feature gates. It has the type of
// the framework's PluginFactory.
func New(ctx context.Context, args runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	features := feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)
	return newPlugin(ctx, args, handle, effectiveFeatures(features))
}

// effectiveFeatures returns the features that the plugin uses, including injected faults.
func effectiveFeatures(f feature.Features) feature.Features {
	f.EnableDRAPartitionableDevices = f.EnableDRAPartitionableDevices || fault.IgnoresGateOfPartitions
	f.EnableDRAConsumableCapacity = f.EnableDRAConsumableCapacity || fault.IgnoresGateOfSharedDevices
	f.EnableDRAPrioritizedList = f.EnableDRAPrioritizedList || fault.IgnoresGateOfLists
	return f
}

func newPlugin(ctx context.Context, object runtime.Object, handle fwk.Handle, features feature.Features) (*Plugin, error) {
	if !features.EnableDynamicResourceAllocation {
		return nil, errors.New("the feature gate DynamicResourceAllocation is disabled")
	}
	args, err := parseArgs(object)
	if err != nil {
		return nil, fmt.Errorf("arguments of plugin %s: %w", Name, err)
	}
	indices, err := addIndices(handle.SharedInformerFactory(), handle.ProfileName())
	if err != nil {
		return nil, err
	}
	registerMetrics()
	common, err := sharedBy(ctx, handle, features)
	if err != nil {
		return nil, err
	}
	if args.DebugAddress != "" {
		if err := common.explanations.serve(ctx, args.DebugAddress); err != nil {
			return nil, fmt.Errorf("plugin %s: %w", Name, err)
		}
	}
	old := utilfeature.DefaultMutableFeatureGate.EmulationVersion().LessThan(separateCounters)
	return &Plugin{
		handle:      handle,
		client:      handle.ClientSet(),
		dra:         handle.SharedDRAManager(),
		features:    features,
		args:        args,
		allocators:  newIndexed(allocatorFeatures(features), *args.SharingAffinity, old),
		indices:     indices,
		shared:      common,
		explainTime: explainTime,
	}, nil
}

// Name implements the framework's plugin interface.
func (p *Plugin) Name() string { return Name }

// bindingConditions reports whether devices can have binding conditions.
func (p *Plugin) bindingConditions() bool {
	return p.features.EnableDRADeviceBindingConditions && p.features.EnableDRAResourceClaimDeviceStatus
}
