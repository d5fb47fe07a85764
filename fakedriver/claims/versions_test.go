// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	. "github.com/onsi/gomega"
)

// older returns the configuration of the previous version.
func older(config Config) Config {
	config.OlderCheckpoint = true
	return config
}

func TestVersionsReadEachOthersCheckpoints(t *testing.T) {
	g := NewWithT(t)
	config := newConfig(t)
	devices := []string{small0, small1, "gpu-0-mig-1g-5gb-2", half4}
	var prepared []string
	for i, version := range []Config{older(config), config, older(config), config} {
		store := open(t, version)
		g.Expect(store.Damage()).To(BeEmpty())
		g.Expect(store.Prepared()).To(Equal(prepared), "claims prepared by another version")
		name := fmt.Sprintf("claim-%d", i)
		_, err := store.Prepare(t.Context(), newClaim(name, devices[i]))
		g.Expect(err).NotTo(HaveOccurred())
		prepared = append(prepared, "default/"+name)
		content, err := os.ReadFile(filepath.Join(config.DataDir, checkpointFile))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(strings.Contains(string(content), `"checksum"`)).To(Equal(!version.OlderCheckpoint))
	}
	store := open(t, older(config))
	g.Expect(injected(t, config)).To(HaveLen(len(devices)))
	for i := range devices {
		g.Expect(store.Unprepare(t.Context(), newClaim(fmt.Sprintf("claim-%d", i)).UID)).To(Succeed())
	}
	g.Expect(open(t, config).Prepared()).To(BeEmpty())
}

func TestChecksumDetectsChangedContent(t *testing.T) {
	g := NewWithT(t)
	config := newConfig(t)
	_, err := open(t, config).Prepare(t.Context(), newClaim("a", small0))
	g.Expect(err).NotTo(HaveOccurred())
	path := filepath.Join(config.DataDir, checkpointFile)
	content, err := os.ReadFile(path)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(os.WriteFile(path, replace(small0, small1)(content), 0o600)).To(Succeed())

	_, err = config.loadCheckpoint()
	g.Expect(err).To(MatchError(errCorrupt))
	g.Expect(err).To(MatchError(ContainSubstring("its checksum is ")))
	_, err = older(config).loadCheckpoint()
	g.Expect(err).NotTo(HaveOccurred(), "the previous version does not verify it")
}

func TestStoresOfOneNodeShareClaims(t *testing.T) {
	g := NewWithT(t)
	config := newConfig(t)
	config.Shared = true
	first := open(t, older(config))
	want, err := first.Prepare(t.Context(), newClaim("a", half0))
	g.Expect(err).NotTo(HaveOccurred())
	second := open(t, config)
	g.Expect(second.Prepare(t.Context(), newClaim("a", half0))).To(Equal(want), "a repeated call in another process")

	_, err = first.Prepare(t.Context(), newClaim("b", small1))
	g.Expect(err).To(MatchError(ContainSubstring("claim default/a")))
	g.Expect(second.Unprepare(t.Context(), "a")).To(Succeed())
	g.Expect(first.Prepared()).To(BeEmpty())
	_, err = first.Prepare(t.Context(), newClaim("b", small1))
	g.Expect(err).NotTo(HaveOccurred(), "the other process unprepared the claim")
	g.Expect(second.Prepared()).To(Equal([]string{"default/b"}))
	g.Expect(second.Described()).To(Equal([]string{"default/b"}))
	g.Expect(second.Partitions().Live).To(HaveLen(1))
}

// Guards that each device is prepared for one claim when several processes
// prepare claims concurrently.
func TestConcurrentStoresOfOneNode(t *testing.T) {
	const gpus, rounds = 8, 5
	g := NewWithT(t)
	config := newConfigFor(t, gpus)
	config.Shared = true
	stores := []*Store{open(t, config), open(t, older(config))}
	for range rounds {
		var all sync.WaitGroup
		won := make([][]string, len(stores))
		for i, store := range stores {
			all.Go(func() {
				for gpu := range gpus {
					name := fmt.Sprintf("claim-%d-%d", i, gpu)
					if _, err := store.Prepare(t.Context(), newClaim(name, fmt.Sprintf("gpu-%d", gpu))); err == nil {
						won[i] = append(won[i], name)
					}
				}
			})
		}
		all.Wait()
		g.Expect(len(won[0])+len(won[1])).To(Equal(gpus), "%v", won)
		g.Expect(injected(t, config)).To(HaveLen(gpus))
		// Each claim is unprepared by the process that did not prepare it.
		for i := range won {
			for _, name := range won[i] {
				g.Expect(stores[1-i].Unprepare(t.Context(), newClaim(name).UID)).To(Succeed())
			}
		}
		g.Expect(stores[0].Prepared()).To(BeEmpty())
	}
}
