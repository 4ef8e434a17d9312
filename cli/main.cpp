// The tapehead command.
#include "command.h"

int main(int argc, char** argv) { return tapehead::cli::run(argc, argv); }
