// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"encoding/json"
	"fmt"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/draconform/draconform/fakedriver/devenv"
	"github.com/draconform/draconform/internal/fault"
)

// knownGroups is the end of the names of the API groups that parameters for the driver may
// have. Parameters need not have a group.
const knownGroups = ".draconform.dev"

// CheckParameters returns an error if an allocation has parameters of an unknown API group for
// a driver: they are meant for another driver, and to ignore them would surprise the user.
func CheckParameters(driver string, configs []resourceapi.DeviceAllocationConfiguration) error {
	for _, config := range configs {
		if config.Opaque == nil || config.Opaque.Driver != driver {
			continue
		}
		var of metav1.TypeMeta
		if err := json.Unmarshal(config.Opaque.Parameters.Raw, &of); err != nil {
			return fmt.Errorf("decode parameters %s: %w", config.Source, err)
		}
		if group := of.GroupVersionKind().Group; group != "" && !strings.HasSuffix(group, knownGroups) {
			return fmt.Errorf("decode parameters %s: API group %s is not known", config.Source, group)
		}
	}
	return nil
}

// refused returns the error of a claim whose parameters are not known. The claim holds no
// devices.
func (s *Store) refused(uid types.UID, wanted preparedClaim, because error) error {
	if fault.HoldsFailedClaims {
		_ = s.commit(func(claims map[types.UID]preparedClaim) { claims[uid] = wanted })
	}
	if fault.LeavesRefusedClaims || fault.ForgetsRefusedClaims {
		_ = s.writeSpec(uid, wanted)
	}
	return fmt.Errorf("prepare claim %s: %w", wanted, because)
}

// kept returns the parameters of an earlier claim for a device, if a fault keeps them and the
// claim has none.
func (s *Store) kept(device string, configs []devenv.Config) []devenv.Config {
	if !fault.KeepsConfiguration {
		return configs
	}
	if s.configured == nil {
		s.configured = map[string][]devenv.Config{}
	}
	if len(configs) > 0 {
		s.configured[device] = configs
	}
	return s.configured[device]
}
