package check

import (
	"errors"
	"fmt"
	"math/big"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/structured"
)

// exact returns the value of a quantity.
func exact(q resource.Quantity) *big.Rat {
	q = q.DeepCopy()
	dec := q.AsDec()
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(dec.Scale(), -dec.Scale()))), nil)
	value := new(big.Rat).SetInt(dec.UnscaledBig())
	if dec.Scale() > 0 {
		return value.Quo(value, new(big.Rat).SetInt(scale))
	}
	return value.Mul(value, new(big.Rat).SetInt(scale))
}

// counters verifies that no counter is overdrawn (KEP-4815): the allocated and
// the chosen devices together never consume more of a counter than it has. A
// shared device consumes its counters once.
//
// Quirk, checked like Kubernetes: as soon as the allocated devices overdraw one
// counter of a pool, no device of the pool that consumes any counter may be
// chosen. Another quirk: admin access consumes counters like other access.
func (r *Rules) counters(choices []Choice) error {
	if !r.features.PartitionableDevices {
		return nil
	}
	var errs []error
	for _, pool := range r.pools {
		charged := r.charged(pool, choices)
		if len(charged) == 0 {
			continue
		}
		free := map[[2]string]*big.Rat{}
		for name, set := range pool.counterSets {
			for counter, value := range set.Counters {
				free[[2]string{name, counter}] = exact(value.Value)
			}
		}
		for _, device := range append(r.allocatedIn(pool), charged...) {
			for _, consumption := range device.ConsumesCounters {
				for counter, value := range consumption.Counters {
					key := [2]string{consumption.CounterSet, counter}
					free[key].Sub(free[key], exact(value.Value))
				}
			}
		}
		for key, rest := range free {
			if rest.Sign() < 0 {
				errs = append(errs, fmt.Errorf("pool %s/%s: counter %s of %s is overdrawn by %s",
					pool.driver, pool.name, key[1], key[0], new(big.Rat).Neg(rest).FloatString(3)))
			}
		}
	}
	return errors.Join(errs...)
}

// charged returns the chosen devices of the pool whose choice consumes
// counters. Devices that are already shared are excluded.
func (r *Rules) charged(pool *pool, choices []Choice) []*resourceapi.Device {
	var devices []*resourceapi.Device
	shared := sets.New[*Device]()
	for _, choice := range choices {
		device := choice.Device
		if device.pool != pool || len(device.ConsumesCounters) == 0 {
			continue
		}
		if r.multiple(device) {
			_, used := r.capacity[device.ID()]
			if used || r.shared.Has(device.ID()) || shared.Has(device) {
				continue
			}
			shared.Insert(device)
		}
		devices = append(devices, device.Device)
	}
	return devices
}

// allocatedIn returns the devices of the pool that are allocated, exclusively
// or by shares, in the order of the slices.
func (r *Rules) allocatedIn(pool *pool) []*resourceapi.Device {
	var devices []*resourceapi.Device
	for _, slices := range [][]*resourceapi.ResourceSlice{pool.offered, pool.elsewhere} {
		for _, slice := range slices {
			for i := range slice.Spec.Devices {
				device := &slice.Spec.Devices[i]
				id := structured.MakeDeviceID(pool.driver, pool.name, device.Name)
				_, used := r.capacity[id]
				if used || r.dedicated.Has(id) || r.shared.Has(id) {
					devices = append(devices, device)
				}
			}
		}
	}
	return devices
}
