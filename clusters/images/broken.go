//go:build draconform_faults

package images

import (
	"fmt"
	"os"
	"strings"

	"github.com/draconform/draconform/internal/fault"
)

// breaks names one of the suite's images, and the fault that its command is to
// have: scheduler=ignores-locks. Only builds with the tag of faults know it.
const breaks = "DRACONFORM_BREAKS"

func init() {
	chosen, ok := os.LookupEnv(breaks)
	if !ok {
		return
	}
	which, name, _ := strings.Cut(chosen, "=")
	image := map[string]*Image{"scheduler": &Scheduler, "driver": &Fakedriver}[which]
	if image == nil {
		fmt.Fprintf(os.Stderr, "%s=%s: it should be scheduler or driver, and what is wrong with it\n", breaks, chosen)
		os.Exit(2)
	}
	image.Tags, image.Env = []string{fault.Tag}, []string{fault.Variable + "=" + name}
}
