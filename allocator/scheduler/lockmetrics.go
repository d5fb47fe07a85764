// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"maps"
	"slices"

	"k8s.io/component-base/metrics"
	"k8s.io/klog/v2"

	"github.com/draconform/draconform/allocator/internal/affinity"
)

var affinityDevicesDesc = metrics.NewDesc(subsystem+"_affinity_devices",
	"Devices that declare a sharing affinity (KEP-5981), by state: clean, locked to the values of claims, or unknown because such a claim states none.",
	[]string{"state"}, nil, metrics.ALPHA, "")

// lockCollector counts locked devices when metrics are collected. Claims are
// the locks.
type lockCollector struct{ metrics.BaseStableCollector }

// DescribeWithStability implements the collector's interface.
func (c *lockCollector) DescribeWithStability(descriptions chan<- *metrics.Desc) {
	descriptions <- affinityDevicesDesc
}

// CollectWithStability implements the collector's interface.
func (c *lockCollector) CollectWithStability(values chan<- metrics.Metric) {
	schedulers.Lock()
	running := slices.Collect(maps.Values(schedulers.by))
	schedulers.Unlock()
	counts := map[string]int{"clean": 0, "locked": 0, "unknown": 0}
	for _, s := range running {
		if err := s.countLocks(counts); err != nil {
			klog.Background().Error(err, "count locked devices")
			return
		}
	}
	for state, n := range counts {
		values <- metrics.NewLazyConstMetric(affinityDevicesDesc, metrics.GaugeValue, float64(n), state)
	}
}

func (s *shared) countLocks(counts map[string]int) error {
	devices, err := s.affinityDevices()
	if err != nil {
		return err
	}
	holders, err := s.holders(devices)
	if err != nil {
		return err
	}
	state := affinity.NewState(holders)
	for i := range devices {
		lock := state.Lock(devices[i].id, devices[i].keys)
		switch {
		case lock.Unknown:
			counts["unknown"]++
		case lock.Values != nil:
			counts["locked"]++
		default:
			counts["clean"]++
		}
	}
	return nil
}
