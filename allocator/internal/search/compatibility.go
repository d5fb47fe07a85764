package search

import "slices"

// common is what the compatibility groups of the devices that share a counter set have in common. Devices
// without groups go together with each other only.
type common struct {
	any   bool // There is a device.
	none  bool // The devices declare no groups.
	names []string
}

// admits tells whether a device with these groups may join.
func (c common) admits(names []string) bool {
	switch {
	case !c.any:
		return true
	case len(names) == 0 || c.none:
		return len(names) == 0 && c.none
	}
	return slices.ContainsFunc(c.names, func(name string) bool { return slices.Contains(names, name) })
}

// add returns what is common after a device joined. The receiver stays valid, for going back.
func (c common) add(names []string) common {
	switch {
	case !c.any:
		return common{any: true, none: len(names) == 0, names: names}
	case c.none || len(names) == 0:
		return c
	}
	var both []string
	for _, name := range c.names {
		if slices.Contains(names, name) {
			both = append(both, name)
		}
	}
	return common{any: true, names: both}
}
